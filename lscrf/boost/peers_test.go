package boost

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"hdseg/lscrf/feature"
)

// TestPeers trains on real pairs, where the target is that both superpixels are figure, and
// prints error and time for pair designs and for built rows, at the sizes of $HDSEG_ROWS
// (200000 unless set) with $HDSEG_THREADS (1) workers. With HDSEG_PYTHON, a Python that has
// catboost, it also runs the shared peers script on the same data:
//
//	HDSEG_REAL=1 HDSEG_ROWS=1000000 HDSEG_PYTHON=python3 go test -run Peers -v -timeout 2h ./lscrf/boost
func TestPeers(t *testing.T) {
	rows, threads := number("HDSEG_ROWS", 200_000), number("HDSEG_THREADS", 1)
	train, test := realWorlds(t, 1+rows/600_000)
	train.first(rows)
	if len(train.edges) < rows {
		t.Fatalf("got %d edges, want %d", len(train.edges), rows)
	}
	y, yt := output(train.targets(), 4, 3), output(test.targets(), 4, 3)
	x, xt := train.build(), test.build()
	t.Logf("%d nodes, %d training rows, %d test rows, %d workers", train.n, rows, len(yt), threads)
	mean := slices.Repeat([]float32{average(y)}, len(yt))
	constant := math.Sqrt(meanSquare(mean, yt))
	for _, borders := range []int{32, 128} {
		for _, like := range []string{"defaults", "all columns, 0.8 of the rows"} {
			for _, kind := range []string{"pairs", "rows"} {
				opt := Defaults()
				opt.Borders = borders
				if like != "defaults" {
					opt.RowSample, opt.ColumnSample = 0.8, 1
				}
				cpu, wall := cpuTime(), time.Now()
				var d Design
				if kind == "pairs" {
					b := NewBinning(train.x, train.n, feature.DraftDim, borders, threads)
					d = Pairs(b.Bin(train.x, train.n, threads), train.edges)
				} else {
					b := NewBinning(x, rows, 2*feature.DraftDim, borders, threads)
					d = Rows(b.Bin(x, rows, threads))
				}
				m, _ := mustFit(t, Data{Design: d, Outputs: 1, Targets: y}, opt, threads)
				trained, trainedCPU := time.Since(wall), cpuTime()-cpu
				cpu, wall = cpuTime(), time.Now()
				var p []float32
				if kind == "pairs" {
					p = m.PredictPairs(test.x, test.n, test.edges, threads)
				} else {
					p = m.PredictRows(xt, len(yt), threads)
				}
				rmse := math.Sqrt(meanSquare(p, yt))
				t.Logf("%3d borders, %-5s %-29s train %6.1f s (cpu %6.1f s)   test RMSE %.5f   predict wall %6.1f ms  cpu %6.1f ms",
					borders, kind+",", like, trained.Seconds(), trainedCPU.Seconds(), rmse, ms(time.Since(wall)), ms(cpuTime()-cpu))
				if rmse >= constant {
					t.Errorf("test RMSE %.5f, want below %.5f, that of the mean", rmse, constant)
				}
			}
		}
	}
	python := os.Getenv("HDSEG_PYTHON")
	if python == "" {
		t.Log("the peer did not run: HDSEG_PYTHON is not set")
		return
	}
	file := filepath.Join(t.TempDir(), "pairs.npz")
	writeNPZ(t, file, map[string][]float32{"x": x, "y": y, "xt": xt, "yt": yt},
		map[string]int{"x": rows, "y": rows, "xt": len(yt), "yt": len(yt)})
	script := filepath.Join(dataDir(t), "..", "peers", "peers.py")
	cpu := childTime()
	out, err := exec.Command(python, script, "trees", "--data", file, "--rows", strconv.Itoa(rows), "--threads", strconv.Itoa(threads), "--runs", "3").CombinedOutput()
	t.Logf("%s(cpu of all its runs %.1f s)", out, (childTime() - cpu).Seconds())
	if err != nil {
		t.Error(err)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// number returns a whole number from the environment.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

func average(y []float32) float32 {
	sum := 0.0
	for _, v := range y {
		sum += float64(v)
	}
	return float32(sum / float64(len(y)))
}
