package mrf

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hdseg/lscrf/internal/peer"
)

// TestPeers solves problems learned from and laid out on real images, checks energies and
// bounds against the peers' and prints both times:
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 go test ./lscrf/tools/mrf -run TestPeers -v
//
// Python needs what .ci/peers_mrf.py lists. Making the problems takes about a minute;
// HDSEG_MRF=DIR keeps them there.
func TestPeers(t *testing.T) {
	data := peer.Data(t)
	python, ok := peer.Python(t)
	if !ok {
		return
	}
	script := filepath.Join("..", "..", "..", ".ci", "peers_mrf.py")
	dir := os.Getenv("HDSEG_MRF")
	if dir == "" {
		dir = t.TempDir()
	}
	if _, err := os.Stat(filepath.Join(dir, "street11.mrf")); err != nil {
		peer.Run(t, python, script, "make", dir, "--data", data)
	}
	for _, name := range []string{"horse", "dog"} {
		file := filepath.Join(dir, name+".mrf")
		comparePeers(t, name, readProblems(t, file), python, script, file)
	}
	for _, name := range []string{"street8", "street11"} {
		compareTRWS(t, name, readProblems(t, filepath.Join(dir, name+".mrf")))
	}
}

// comparePeers holds problems of two labels against thinqpbo and PyMaxflow.
func comparePeers(t *testing.T, name string, problems []*Problem, python, script, file string) {
	rows, err := csv.NewReader(strings.NewReader(peer.Run(t, python, script, "time", file))).ReadAll()
	if err != nil || len(rows) != len(problems)+1 {
		t.Fatalf("peers_mrf.py time: %d rows for %d problems, %v", len(rows), len(problems), err)
	}
	ours, results := timeSolver(problems, with(Auto))
	roofs, duals := timeSolver(problems, with(Roof))
	column := map[string][]float64{}
	for _, row := range rows[1:] {
		for k, v := range row {
			if x, err := strconv.ParseFloat(v, 64); err == nil {
				column[rows[0][k]] = append(column[rows[0][k]], x)
			}
		}
	}
	for k, r := range results {
		open, peer, bound := column["qpbo_open"][k], column["qpbo_energy"][k], column["qpbo_bound"][k]
		if r.Energy > peer+1e-6 || open == 0 && !near(r.Energy, peer) {
			t.Errorf("%s %d: energy %v, thinqpbo %v with %v open", name, k, r.Energy, peer, open)
		}
		if r.Status != Optimal {
			t.Errorf("%s %d: %v, gap %v", name, k, r.Status, gap(r))
		}
		if d := duals[k]; !near(d.Bound, bound) {
			t.Errorf("%s %d: roof dual %v, thinqpbo %v", name, k, d.Bound, bound)
		}
	}
	t.Logf("%-8s %3d problems, %.0f nodes, %.0f edges, %d submodular; ms per problem, median (worst): hdseg auto %s, qpbo %s, all included; thinqpbo solve %s + build %s; PyMaxflow solve %s + build %s",
		name, len(problems), mean(column["nodes"]), mean(column["edges"]), len(column["cut_solve_ms"]), spread(ours), spread(roofs),
		spread(column["qpbo_solve_ms"]), spread(column["qpbo_build_ms"]), spread(column["cut_solve_ms"]), spread(column["cut_build_ms"]))
}

// compareTRWS holds method auto against TRW-S run until it converges.
func compareTRWS(t *testing.T, name string, problems []*Problem) {
	ours, results := timeSolver(problems, with(Auto))
	trws := with(TRWS)
	trws.iterations, trws.tolerance = 2000, 1e-9
	full, converged := timeSolver(problems, trws)
	nodes, edges, optimal, agree, better, iterations := 0, 0, 0, 0, 0, 0
	for k, r := range results {
		c := converged[k]
		nodes, edges, iterations = nodes+problems[k].N(), edges+len(problems[k].Edges), iterations+r.Iterations
		switch {
		case r.Energy > c.Energy+1e-6 || r.Energy < c.Bound-1e-6:
			t.Errorf("%s %d: energy %v, converged TRW-S %v to %v", name, k, r.Energy, c.Bound, c.Energy)
		case r.Energy < c.Energy-1e-6:
			better++
		default:
			agree++
		}
		if r.Status == Optimal {
			optimal++
		}
	}
	n := len(problems)
	t.Logf("%-8s %3d problems, %d nodes, %d edges, %d labels; ms per problem, median (worst): hdseg auto %s in %.1f iterations, TRW-S converged %s; %d proved optimal, energies equal in %d, lower in %d",
		name, n, nodes/n, edges/n, problems[0].Labels, spread(ours), float64(iterations)/float64(n), spread(full), optimal, agree, better)
}

// timeSolver solves all problems in several passes and returns the least milliseconds of
// each, and the results.
func timeSolver(problems []*Problem, o how) (ms []float64, results []Result) {
	var s Solver
	ms = make([]float64, len(problems))
	results = make([]Result, len(problems))
	for pass := range 7 {
		for k, p := range problems {
			start := time.Now()
			r := s.run(p, o)
			d := time.Since(start).Seconds() * 1e3
			if pass == 0 || d < ms[k] {
				ms[k] = d
			}
			r.Labels = slices.Clone(r.Labels)
			results[k] = r
		}
	}
	return ms, results
}

func spread(v []float64) string {
	if len(v) == 0 {
		return "-"
	}
	v = slices.Sorted(slices.Values(v))
	return strconv.FormatFloat(v[len(v)/2], 'f', 3, 64) + " (" + strconv.FormatFloat(v[len(v)-1], 'f', 3, 64) + ")"
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// readProblems reads a file of peers_mrf.py.
func readProblems(t *testing.T, file string) (problems []*Problem) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := bytes.NewReader(b)
	read := func(v any) {
		if err := binary.Read(r, binary.LittleEndian, v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	for {
		var head [3]int32 // L, N, E
		if err := binary.Read(r, binary.LittleEndian, &head); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		p := &Problem{
			Labels: int(head[0]),
			Unary:  make([]float64, head[1]*head[0]),
			Edges:  make([][2]int32, head[2]),
			Pair:   make([]float64, head[2]*head[0]*head[0]),
		}
		read(p.Unary)
		read(p.Edges)
		read(p.Pair)
		problems = append(problems, p)
	}
	if len(problems) == 0 || math.IsNaN(problems[0].Unary[0]) {
		t.Fatalf("%s holds no problem", file)
	}
	return problems
}
