package regress

import (
	"fmt"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// gramSet is a generated problem: images of 18 x 18 nodes with three neighbors each way, nodes of
// the next image 333 further, and 143 features.
func gramSet(nodes int) []picture {
	const per, side, dim = 333, 18, 143
	rng := pcg(0)
	x := make([]float32, nodes*dim)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	var edges [][2]int32
	for i := range int32(side * side) {
		r, c := i/side, i%side
		if c+1 < side {
			edges = append(edges, [2]int32{i, i + 1})
		}
		if r+1 < side {
			edges = append(edges, [2]int32{i, i + side})
		}
		if r+1 < side && c+1 < side {
			edges = append(edges, [2]int32{i, i + side + 1})
		}
	}
	var ps []picture
	for base := 0; base < nodes-per; base += per {
		p := picture{x: x[base*dim : (base+side*side)*dim], edges: edges, y: make([]uint8, side*side)}
		for i := range p.y {
			if p.x[i*dim] > 0.7 {
				p.y[i] = 1
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// BenchmarkStats prints the processor time of statistics and one solve for 200,000 nodes of 143
// features, with each set of kernels.
func BenchmarkStats(b *testing.B) {
	defer func(k kernelSet) { kernels = k }(kernels)
	ps := gramSet(200_000)
	for _, kernels = range kernelSets() {
		for _, kind := range []Kind{Nodes, Edges} {
			b.Run(fmt.Sprintf("%s/%v", kernels.name, kind), func(b *testing.B) {
				b.ReportAllocs()
				cpu := peer.CPU()
				for b.Loop() {
					Solve(statsOf(b, kind, ps, 143, 2), nil, Defaults())
				}
				b.ReportMetric(peer.Milliseconds(peer.CPU()-cpu)/float64(b.N), "cpu-ms/pass")
			})
		}
	}
}

// BenchmarkKernel gives the speed of the innermost loop alone, on data in the first-level cache.
func BenchmarkKernel(b *testing.B) {
	const k, stride = 64, 48
	rng := pcg(1)
	x, w := numbers(rng, k*stride), numbers(rng, k)
	c := make([]int64, tileLen)
	for _, set := range kernelSets() {
		b.Run(set.name, func(b *testing.B) {
			b.ReportAllocs()
			cpu := peer.CPU()
			for b.Loop() {
				set.addTile(k, x, x[24:], w, stride, c)
			}
			b.ReportMetric(2*k*tileLen*float64(b.N)/(peer.CPU()-cpu).Seconds()/1e9, "GFLOP/s")
		})
	}
}
