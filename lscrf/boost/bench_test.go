package boost

import (
	"fmt"
	"testing"
)

// BenchmarkFit reports the time of one tree of depth 6.
func BenchmarkFit(b *testing.B) {
	const n, dim = 200_000, 266
	x, y := noisy(1, n, dim)
	for _, borders := range []int{32, 128} {
		d := Data{Design: Rows(NewBinning(x, n, dim, borders, 1).Bin(x, n, 1)), Outputs: 1, Targets: y}
		opt := Defaults()
		opt.Trees, opt.Borders = 20, borders
		b.Run(fmt.Sprintf("rows=%d/borders=%d", n, borders), func(b *testing.B) {
			s := cpuTime()
			for b.Loop() {
				if _, _, err := Fit(d, opt, 1, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime()-s).Milliseconds())/float64(b.N*opt.Trees), "cpu-ms/tree")
		})
	}
}
