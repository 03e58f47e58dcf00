package boost

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkAddLines(b *testing.B) {
	const n, stride = 200_000, 272
	r := rand.New(rand.NewPCG(1, 1))
	lanes := make([]uint8, n*stride)
	lines, cells := make([]uint32, n), make([]int64, n)
	for i := range lines {
		lines[i] = uint32(i)
		cells[i] = int64(i)
	}
	for _, bins := range histSizes {
		for i := range lanes {
			lanes[i] = uint8(r.IntN(min(bins, 129)))
		}
		hist := make([]int64, stride*bins)
		for _, fast := range []bool{false, true} {
			b.Run(fmt.Sprintf("bins=%d/fast=%v", bins, fast), func(b *testing.B) {
				s := cpuTime()
				for b.Loop() {
					for at := 0; at+segmentRows <= n; at += segmentRows {
						for group := range stride / laneGroup {
							h, l := hist[group*laneGroup*bins:], lanes[group*laneGroup:]
							if fast {
								addLines(h, bins, 1, l, stride, lines[at:at+segmentRows], cells[at:])
							} else {
								addLinesGo(h, bins, 1, l, stride, lines[at:at+segmentRows], cells[at:])
							}
						}
					}
				}
				b.ReportMetric(float64((cpuTime()-s).Nanoseconds())/float64(b.N)/float64(n*stride), "cpu-ns/add")
			})
		}
	}
}
