//go:build !unix

package peer

import "time"

var start = time.Now()

// CPU returns the time since the start: processor time is not known here.
func CPU() time.Duration { return time.Since(start) }

// PeakMB returns 0: it is not known here.
func PeakMB() float64 { return 0 }
