//go:build unix

package pipeline

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the processor time that the program has taken so far, on all cores together.
func CPUTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
