package boost

import (
	"fmt"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// BenchmarkFit reports the time of one tree of depth 6.
func BenchmarkFit(b *testing.B) {
	const n, dim = 200_000, 266
	x, y := noisy(1, n, dim)
	for _, borders := range []int{32, 128} {
		d := Data{Design: Rows(binned(x, dim, borders)), Outputs: 1, Targets: y}
		opt := Defaults()
		opt.Trees, opt.Borders = 20, borders
		b.Run(fmt.Sprintf("rows=%d/borders=%d", n, borders), func(b *testing.B) {
			b.ReportAllocs()
			s := peer.CPU()
			for b.Loop() {
				if _, err := Fit(d, opt, 1, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((peer.CPU()-s).Milliseconds())/float64(b.N*opt.Trees), "cpu-ms/tree")
		})
	}
}

// BenchmarkPredict reports the time per tree and row, from numbers to predictions.
func BenchmarkPredict(b *testing.B) {
	const n, dim = 20_000, 266
	x, y := noisy(1, n, dim)
	opt := Defaults()
	opt.Trees = 100
	m, _ := mustFit(b, rowData(x, y, dim, opt.Borders), opt, 1)
	binned := Rows(m.bin(x, n, 1))
	for name, f := range map[string]func(){
		"numbers": func() { m.PredictRows(x, n, 1) },
		"bins":    func() { m.Predict(binned, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := peer.CPU()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64((peer.CPU()-s).Nanoseconds())/float64(b.N*n*opt.Trees), "cpu-ns/tree/row")
		})
	}
}

// BenchmarkMeasure reports the time per row of gradients and losses, which are taken after every
// tree.
func BenchmarkMeasure(b *testing.B) {
	const n = 200_000
	_, y := noisy(1, n, 4)
	pred, grad, hess, weights := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range pred {
		pred[i], weights[i] = 6*y[i]-3, 1
	}
	for _, l := range []Loss{Squared, Logistic} {
		b.Run(string(l), func(b *testing.B) {
			s := peer.CPU()
			for b.Loop() {
				l.gradients(grad, hess, pred, y, 1, 1, weights)
			}
			b.ReportMetric(float64((peer.CPU()-s).Nanoseconds())/float64(b.N*n), "cpu-ns/row")
		})
	}
}
