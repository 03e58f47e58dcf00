//go:build !linux

package transfer

import "time"

// A cpuClock measures elapsed time where the processor time of a thread cannot be read.
type cpuClock struct{ start time.Time }

func startCPU() cpuClock { return cpuClock{time.Now()} }

// stop returns the time since startCPU in milliseconds.
func (c cpuClock) stop() float64 { return float64(time.Since(c.start)) / float64(time.Millisecond) }
