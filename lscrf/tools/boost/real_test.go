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
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// TestPeers trains on real pairs, where the target is that both superpixels are figure, and prints
// the medians of several runs, with seeds of their own, beside CatBoost's: ours on built rows with
// its parameters (500 trees of depth 6, rate 0.1, L2 3, variance sampling of 0.8 of the rows, all
// columns) and on pairs with the defaults. HDSEG_PYTHON is a Python that has numpy and catboost.
// Rows hold every edge in both directions; above 600,000 the training images are there mirrored,
// too.
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 HDSEG_ROWS=1000000 HDSEG_RUNS=3 go test -run Peers -v -timeout 3h ./lscrf/tools/boost
//
// HDSEG_ROWS is 200000, HDSEG_RUNS 5, HDSEG_TREES 500, HDSEG_BORDERS 128 and HDSEG_THREADS 1 unless
// set. With HDSEG_EXPORT=FILE.npz the rows are also kept in that file.
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
	return trainOne(t, yt, func() *Model {
		b := BinParts([][]float32{x}, len(x)/len(y), opt.Borders, threads)
		m, _ := mustFit(t, Data{Design: Rows(b), Outputs: 1, Targets: y}, opt, threads)
		return m
	}, func(m *Model) []float32 { return m.PredictRows(xt, len(yt), threads) })
}

func trainPairs(t *testing.T, train, test *world, y, yt []float32, opt Options, threads int) measured {
	return trainOne(t, yt, func() *Model {
		d := Pairs(BinParts([][]float32{train.x}, feature.DraftDim, opt.Borders, threads), train.edges)
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

// Real pairs: superpixels of the VOC 2012 images with a manual mask of a horse or a dog.

// A world is a set of graphs side by side.
type world struct {
	n     int
	x     []float32 // n x feature.DraftDim
	label []uint8   // per node: raster.Ground, Figure or Void
	image []int     // per node
	edges [][2]int32
}

// add appends another world's nodes and edges.
func (w *world) add(o *world) {
	for _, e := range o.edges {
		w.edges = append(w.edges, [2]int32{e[0] + int32(w.n), e[1] + int32(w.n)})
	}
	w.n += o.n
	w.x, w.label, w.image = append(w.x, o.x...), append(w.label, o.label...), append(w.image, o.image...)
}

// realWorlds returns a training and a test world without images in common (every sixth is for
// testing), with edges between labeled nodes in both directions; every copy segments the training
// images in another way.
func realWorlds(t testing.TB, copies int) (train, test *world) {
	any := func(int, bool) bool { return true }
	train, test = &world{}, &world{}
	for i, p := range peer.VOC(t, any, peer.Dog, peer.Horse) {
		if i%6 == 0 {
			test.add(oneWorld(p, i, 0))
			continue
		}
		for c := range copies {
			train.add(oneWorld(p, i, c))
		}
	}
	return train, test
}

// oneWorld segments one image; odd copies mirror it and later ones vary the superpixels.
func oneWorld(p peer.Picture, index, copy int) *world {
	img, mask := p.Image, p.Mask
	if copy%2 == 1 {
		img, mask = raster.Orient(img, 2), raster.OrientMask(mask, 2)
	}
	o := superpixel.Defaults()
	o.Count += 60 * (copy / 2)
	sp := superpixel.SLIC(img, o)
	w := &world{n: sp.N, x: feature.Extract(img, sp, feature.Defaults()), label: superpixel.Majority(sp, mask)}
	for range sp.N {
		w.image = append(w.image, index)
	}
	for _, e := range sp.Edges() {
		if w.label[e[0]] != raster.Void && w.label[e[1]] != raster.Void {
			w.edges = append(w.edges, e, [2]int32{e[1], e[0]})
		}
	}
	return w
}

// targets returns four outputs per edge, label pairs 00, 01, 10, 11 in this order.
func (w *world) targets() []float32 {
	y := make([]float32, 4*len(w.edges))
	for i, e := range w.edges {
		y[4*i+int(2*w.label[e[0]]+w.label[e[1]])] = 1
	}
	return y
}

// output takes one of several outputs.
func output(y []float32, outputs, k int) []float32 {
	out := make([]float32, len(y)/outputs)
	for i := range out {
		out[i] = y[i*outputs+k]
	}
	return out
}

// first keeps the first n edges and the nodes up to the last of them.
func (w *world) first(n int) {
	w.edges = w.edges[:min(n, len(w.edges))]
	last := int32(0)
	for _, e := range w.edges {
		last = max(last, e[0], e[1])
	}
	w.n = int(last) + 1
	w.x, w.label, w.image = w.x[:w.n*feature.DraftDim], w.label[:w.n], w.image[:w.n]
}

// build returns the pair rows that the design stands for.
func (w *world) build() []float32 {
	const dim = feature.DraftDim
	x := make([]float32, 0, len(w.edges)*2*dim)
	for _, e := range w.edges {
		x = append(append(x, w.x[int(e[0])*dim:][:dim]...), w.x[int(e[1])*dim:][:dim]...)
	}
	return x
}
