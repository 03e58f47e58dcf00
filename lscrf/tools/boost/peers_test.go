package boost

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/feature"
)

// TestPeers trains on real pairs, where the target is that both superpixels are figure, and
// prints the medians of several runs, with seeds of their own, beside CatBoost's: ours on
// built rows with its parameters (500 trees of depth 6, rate 0.1, L2 3, variance sampling of
// 0.8 of the rows, all columns) and on pairs with the defaults. HDSEG_PYTHON is a Python that
// has numpy and catboost. Rows hold every edge in both directions; above 600,000 the training images are there mirrored, too.
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 HDSEG_ROWS=1000000 HDSEG_RUNS=3 go test -run Peers -v -timeout 3h ./lscrf/tools/boost
//
// HDSEG_ROWS is 200000, HDSEG_RUNS 5, HDSEG_TREES 500, HDSEG_BORDERS 128 and HDSEG_THREADS 1 unless set.
// With HDSEG_EXPORT=FILE.npz the rows are also kept in that file.
func TestPeers(t *testing.T) {
	rows, runs := number("HDSEG_ROWS", 200_000), number("HDSEG_RUNS", 5)
	borders, threads, trees := number("HDSEG_BORDERS", 128), number("HDSEG_THREADS", 1), number("HDSEG_TREES", 500)
	train, test := realWorlds(t, 1+rows/600_000)
	train.first(rows)
	if len(train.edges) < rows {
		t.Fatalf("got %d edges, want %d", len(train.edges), rows)
	}
	y, yt := output(train.targets(), 4, 3), output(test.targets(), 4, 3)
	x, xt := train.build(), test.build()
	file := os.Getenv("HDSEG_EXPORT")
	if file == "" {
		file = filepath.Join(t.TempDir(), "pairs.npz")
	}
	const dim = 2 * feature.DraftDim
	peer.WriteNPZ(t, file, peer.Array{Name: "x", Columns: dim, Data: x}, peer.Array{Name: "y", Columns: 1, Data: y},
		peer.Array{Name: "xt", Columns: dim, Data: xt}, peer.Array{Name: "yt", Columns: 1, Data: yt})

	plain := Defaults()
	plain.Borders, plain.Trees = borders, trees
	like := plain
	like.RowSample, like.ColumnSample = 0.8, 1
	sides := []struct {
		name string
		run  func(seed int) measured
	}{
		{"rows, CatBoost's parameters", func(seed int) measured {
			like.Seed = uint64(1 + seed)
			return trainRows(t, x, y, xt, yt, like, threads)
		}},
		{"pairs, defaults", func(seed int) measured {
			plain.Seed = uint64(1 + seed)
			return trainPairs(t, train, test, y, yt, plain, threads)
		}},
	}
	python, ok := peer.Python(t)
	if ok {
		sides = append(sides, struct {
			name string
			run  func(seed int) measured
		}{"CatBoost", func(seed int) measured {
			return trainPeer(t, python, file, rows, borders, threads, seed, trees)
		}})
	}
	results := make([][]measured, len(sides))
	for run := range runs {
		for i, s := range sides {
			results[i] = append(results[i], s.run(run))
			t.Logf("run %d: %-28s %v", run+1, s.name, results[i][run])
		}
	}
	t.Logf("%d training rows, %d test rows, %d features, %d trees, %d borders, %d threads; medians of %d runs; the test RMSE of the mean is %.5f",
		rows, len(yt), dim, trees, borders, threads, runs, constantError(y, yt))
	for i, s := range sides {
		m := medians(results[i])
		t.Logf("%-28s %v", s.name, m)
		if limit := constantError(y, yt); m.rmse >= limit {
			t.Errorf("%s: test RMSE %.5f, want below %.5f", s.name, m.rmse, limit)
		}
	}
	if !ok {
		return
	}
	theirs := medians(results[len(sides)-1])
	for i, s := range sides[:len(sides)-1] {
		m := medians(results[i])
		t.Logf("%-28s RMSE %+.2f%%, training %.1f times as fast, prediction %.1f times (CPU)",
			s.name, 100*(m.rmse/theirs.rmse-1), theirs.cpu/m.cpu, theirs.predictCPU/m.predictCPU)
		if m.rmse > 1.005*theirs.rmse {
			t.Errorf("%s: test RMSE %.5f, want at most 1.005 x %.5f", s.name, m.rmse, theirs.rmse)
		}
	}
}

// measured is what one training told; seconds for training, milliseconds for the test rows.
type measured struct{ cpu, wall, rmse, predictCPU, predictWall float64 }

func (m measured) String() string {
	return fmt.Sprintf("train cpu %7.1f s, wall %7.1f s   test RMSE %.5f   predict cpu %7.1f ms, wall %7.1f ms",
		m.cpu, m.wall, m.rmse, m.predictCPU, m.predictWall)
}

// medians takes the median of each figure.
func medians(all []measured) measured {
	of := func(get func(measured) float64) float64 {
		v := make([]float64, len(all))
		for i, m := range all {
			v[i] = get(m)
		}
		slices.Sort(v)
		return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
	}
	return measured{
		of(func(m measured) float64 { return m.cpu }), of(func(m measured) float64 { return m.wall }),
		of(func(m measured) float64 { return m.rmse }),
		of(func(m measured) float64 { return m.predictCPU }), of(func(m measured) float64 { return m.predictWall }),
	}
}

func trainRows(t *testing.T, x, y, xt, yt []float32, opt Options, threads int) measured {
	n, dim := len(y), len(x)/len(y)
	return trainOne(t, yt, func() *Model {
		b := NewBinning(x, n, dim, opt.Borders, threads)
		m, _ := mustFit(t, Data{Design: Rows(b.Bin(x, n, threads)), Outputs: 1, Targets: y}, opt, threads)
		return m
	}, func(m *Model) []float32 { return m.PredictRows(xt, len(yt), threads) })
}

func trainPairs(t *testing.T, train, test *world, y, yt []float32, opt Options, threads int) measured {
	return trainOne(t, yt, func() *Model {
		b := NewBinning(train.x, train.n, feature.DraftDim, opt.Borders, threads)
		d := Pairs(b.Bin(train.x, train.n, threads), train.edges)
		m, _ := mustFit(t, Data{Design: d, Outputs: 1, Targets: y}, opt, threads)
		return m
	}, func(m *Model) []float32 { return m.PredictPairs(test.x, test.n, test.edges, threads) })
}

// trainOne times a training, from numbers to model, and five predictions.
func trainOne(t *testing.T, yt []float32, fit func() *Model, predict func(*Model) []float32) measured {
	cpu, wall := peer.CPU(), time.Now()
	m := fit()
	out := measured{cpu: (peer.CPU() - cpu).Seconds(), wall: time.Since(wall).Seconds()}
	var p []float32
	var times []measured
	for range 5 {
		cpu, wall = peer.CPU(), time.Now()
		p = predict(m)
		times = append(times, measured{predictCPU: peer.Milliseconds(peer.CPU() - cpu), predictWall: peer.Milliseconds(time.Since(wall))})
	}
	mid := medians(times)
	out.predictCPU, out.predictWall, out.rmse = mid.predictCPU, mid.predictWall, math.Sqrt(meanSquare(p, yt))
	return out
}

// trainPeer runs testdata/catboost_peer.py.
func trainPeer(t *testing.T, python, file string, rows, borders, threads, seed, trees int) (m measured) {
	out := peer.Run(t, python, filepath.Join("testdata", "catboost_peer.py"), file, "--rows", strconv.Itoa(rows),
		"--borders", strconv.Itoa(borders), "--threads", strconv.Itoa(threads), "--seed", strconv.Itoa(seed), "--trees", strconv.Itoa(trees))
	if _, err := fmt.Sscan(out, &m.cpu, &m.wall, &m.rmse, &m.predictCPU, &m.predictWall); err != nil {
		t.Fatalf("catboost_peer.py: %v: %s", err, out)
	}
	return m
}

// constantError returns the test RMSE of the mean of y.
func constantError(y, yt []float32) float64 {
	sum := 0.0
	for _, v := range y {
		sum += float64(v)
	}
	mean := slices.Repeat([]float32{float32(sum / float64(len(y)))}, len(yt))
	return math.Sqrt(meanSquare(mean, yt))
}

// number returns a whole number from the environment.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}
