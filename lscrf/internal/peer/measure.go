package peer

import (
	"slices"
	"time"
)

// Median runs f some times after a first time that does not count and returns the median processor
// time.
func Median(runs int, f func()) time.Duration {
	f()
	times := make([]time.Duration, runs)
	for i := range times {
		start := CPU()
		f()
		times[i] = CPU() - start
	}
	slices.Sort(times)
	return times[runs/2]
}

// Milliseconds returns d in milliseconds.
func Milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
