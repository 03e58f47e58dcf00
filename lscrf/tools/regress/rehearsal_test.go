package regress

import (
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hdseg/lscrf/internal/peer"
)

// The size of DogSeg as the paper gives it, and of its graphs as they follow from its counts.
const (
	dogImages = 156_062
	dogNodes  = 333
	dogEdges  = 818
	dogDim    = 143
)

// A stream makes images of DogSeg's size one by one, none of which is kept: features are cut at a
// random place from a pool of normal noise and get a mean per label; the figure is a disc of random
// place and size; the graph is one of 16 triangulated 9 x 37 grids.
type stream struct {
	pool   []float32
	graphs [][][2]int32
}

func newStream() *stream {
	rng := pcg(900)
	s := &stream{pool: make([]float32, 1<<20)}
	for i := range s.pool {
		s.pool[i] = float32(rng.NormFloat64())
	}
	for range 16 {
		const h, w = 9, 37
		var edges, diagonals [][2]int32
		for i := range int32(h * w) {
			y, x := i/w, i%w
			if x+1 < w {
				edges = append(edges, [2]int32{i, i + 1})
			}
			if y+1 < h {
				edges = append(edges, [2]int32{i, i + w})
			}
			if x+1 < w && y+1 < h {
				diagonals = append(diagonals, [2]int32{i, i + w + 1})
			}
		}
		rng.Shuffle(len(diagonals), func(i, j int) { diagonals[i], diagonals[j] = diagonals[j], diagonals[i] })
		s.graphs = append(s.graphs, append(edges, diagonals[:dogEdges-len(edges)]...))
	}
	return s
}

// image fills x and y with image i and returns its edges.
func (s *stream) image(i int, x []float32, y []uint8) [][2]int32 {
	rng := pcg(uint64(i))
	copy(x, s.pool[rng.IntN(len(s.pool)-len(x)):])
	cy, cx, r := 9*rng.Float64(), 37*rng.Float64(), 2+4*rng.Float64()
	for n := range y {
		y[n] = 0
		if math.Hypot(float64(n/37)-cy, float64(n%37)-cx) < r {
			y[n] = 1
			for c := range 8 {
				x[n*dogDim+c] += 0.5
			}
		}
	}
	return s.graphs[rng.IntN(len(s.graphs))]
}

// BenchmarkRehearsal trains unary and pairwise least squares at the full size of DogSeg on
// generated images: every node and every edge, streamed, then one solve each. HDSEG_REHEARSAL is
// the fraction of the images, 1 for all; the figures for all are extrapolated from it.
func BenchmarkRehearsal(b *testing.B) {
	fraction, err := strconv.ParseFloat(os.Getenv("HDSEG_REHEARSAL"), 64)
	if err != nil || fraction <= 0 || fraction > 1 {
		b.Skip("set HDSEG_REHEARSAL to the fraction of DogSeg's images to run, 1 for all (about a minute)")
	}
	images := int(math.Ceil(fraction * dogImages))
	source := newStream()
	const workers = 2
	pass := func(add bool) (nodes, edges *Stats) {
		parts := make([][2]*Stats, workers)
		var next atomic.Int64
		var wg sync.WaitGroup
		for w := range parts {
			wg.Go(func() {
				node, edge := NewNodeStats(dogDim, 2), newStats(Edges, dogDim, 2)
				x, y := make([]float32, dogNodes*dogDim), make([]uint8, dogNodes)
				for i := int(next.Add(1)) - 1; i < images; i = int(next.Add(1)) - 1 {
					e := source.image(i, x, y)
					if !add {
						continue
					}
					if err := node.AddImage(x, e, y); err != nil {
						panic(err)
					}
					if err := edge.AddImage(x, e, y); err != nil {
						panic(err)
					}
				}
				parts[w] = [2]*Stats{node, edge}
			})
		}
		wg.Wait()
		for _, p := range parts[1:] {
			parts[0][0].Merge(p[0])
			parts[0][1].Merge(p[1])
		}
		return parts[0][0], parts[0][1]
	}
	for b.Loop() {
		cpu := peer.CPU().Seconds()
		pass(false)
		generate := peer.CPU().Seconds() - cpu
		cpu = peer.CPU().Seconds()
		start := time.Now()
		nodes, edges := pass(true)
		statistics := peer.CPU().Seconds() - cpu - generate
		cpu = peer.CPU().Seconds()
		Solve(nodes, nil, Defaults())
		Solve(edges, nil, Defaults())
		solve := peer.CPU().Seconds() - cpu
		wall := time.Since(start).Seconds()
		full := dogImages / float64(images)
		b.ReportMetric(wall*full, "wall-s/DogSeg")
		b.ReportMetric(statistics*full, "statistics-cpu-s/DogSeg")
		b.ReportMetric(generate*full, "generating-cpu-s/DogSeg")
		b.ReportMetric(solve, "solve-cpu-s")
		b.ReportMetric(peer.PeakMB(), "peak-MB")
		b.Logf("%d of %d images, %d ordered edges, kernel %s: pairs %v; the paper needed 46 min on 24 cores for a tenth of the edges",
			images, dogImages, 2*int64(images)*dogEdges, kernels.name, edges.Rows())
	}
}
