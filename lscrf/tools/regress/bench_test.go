package regress

import (
	"fmt"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// userCPU returns the processor time of this process, in seconds.
func userCPU() float64 { return peer.CPU().Seconds() }

// gramSet is the problem that peers.py gram times: images of 18 x 18 nodes with three neighbors
// each way, nodes of the next image 333 further, and 143 features. With patches the labels are as those of a
// real figure, a disc of a quarter of the image, and not drawn node by node.
func gramSet(nodes int, patches bool) []picture {
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
			figure := p.x[i*dim] > 0.7
			if patches {
				dy, dx := i/side-8, i%side-9
				figure = dx*dx+dy*dy < 26
			}
			if figure {
				p.y[i] = 1
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// BenchmarkStats prints, for the problem of peers.py gram (200,000 nodes at 143 features, statistics of all
// edges per label pair, and one solve), processor milliseconds per pass.
func BenchmarkStats(b *testing.B) {
	const nodes = 200_000
	for _, labels := range []string{"random", "patches"} {
		ps := gramSet(nodes, labels == "patches")
		for _, kind := range []Kind{Edges, Nodes} {
			b.Run(fmt.Sprintf("%v/%s", kind, labels), func(b *testing.B) {
				b.ReportAllocs()
				cpu := userCPU()
				var flops float64
				for b.Loop() {
					s := newStats(kind, 143, 2)
					for _, p := range ps {
						if err := s.AddImage(p.x, p.edges, p.y, nil); err != nil {
							b.Fatal(err)
						}
					}
					s.settle()
					Solve(s, nil, Defaults())
					flops = s.flops
				}
				cpu = userCPU() - cpu
				b.ReportMetric(cpu/float64(b.N)*1e3, "cpu-ms/pass")
				b.ReportMetric(flops*float64(b.N)/cpu/1e9, "GFLOP/s")
				b.ReportMetric(float64(len(ps)*len(ps[0].edges)*b.N)/cpu/1e6, "Medges/cpu-s")
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
			cpu := userCPU()
			for b.Loop() {
				set.addTile(k, x, x[24:], w, stride, c)
			}
			b.ReportMetric(2*k*tileLen*float64(b.N)/(userCPU()-cpu)/1e9, "GFLOP/s")
		})
	}
}

// benchData is 60 images of 18 x 18 nodes with 143 features.
func benchData() *Data {
	d := &Data{Dim: 143, Labels: 2}
	for _, p := range gramSet(61*333, true) {
		d.Images = append(d.Images, Image{X: p.x, Edges: p.edges, Y: p.y})
	}
	return d
}

// BenchmarkSolvers times every solver and baseline on 60 images; those that iterate stop at their default
// tolerance. statistics+closed form is all that LS-CRF needs.
func BenchmarkSolvers(b *testing.B) {
	d, o, it := benchData(), Defaults(), IterDefaults()
	s := statsOfData(b, d, Edges)
	run := func(name string, f func() int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			cpu, passes := userCPU(), 0
			for b.Loop() {
				passes = f()
			}
			b.ReportMetric((userCPU()-cpu)/float64(b.N)*1e3, "cpu-ms/solve")
			b.ReportMetric(float64(passes), "passes")
		})
	}
	run("statistics+closed form", func() int { Solve(statsOfData(b, d, Edges), nil, o); return 1 })
	run("closed form", func() int { Solve(s, nil, o); return 0 })
	for _, solver := range []string{CG, SGD} {
		other := o
		other.Solver = solver
		run(solver, func() int { Solve(s, d, other); return 0 })
	}
	run("logistic", func() int { _, r := Logistic(d, o, it); return r.Passes })
	run("pairs, logistic", func() int { _, r := PairLogistic(d, o, it); return r.Passes })
	run("pseudolikelihood", func() int { _, r := Pseudolikelihood(d, o, it); return r.Passes })
}

func BenchmarkPredict(b *testing.B) {
	d := benchData()
	s := statsOfData(b, d, Edges)
	edge, _ := Solve(s, nil, Defaults())
	m := d.Images[0]
	b.Run("edges", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			edge.PredictEdges(m.X, m.Edges)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	})
	node := NewLinear(143, 2)
	b.Run("nodes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			node.PredictNodes(m.X)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	})
}

func BenchmarkCodec(b *testing.B) {
	s := statsOfData(b, benchData(), Edges)
	file := encode(b, s)
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		b.ReportAllocs()
		for b.Loop() {
			encode(b, s)
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		b.ReportAllocs()
		for b.Loop() {
			if err := new(Stats).UnmarshalBinary(file); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("merge", func(b *testing.B) {
		t := s.Clone()
		b.SetBytes(int64(len(file)))
		b.ReportAllocs()
		for b.Loop() {
			t.Merge(s)
		}
	})
}
