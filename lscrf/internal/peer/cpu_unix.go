//go:build unix

package peer

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used: a busy machine does not change it
// much.
func CPU() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakMB returns the most memory that this process has held at a time, in MiB.
func PeakMB() float64 { return float64(usage().Maxrss) / 1024 }

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u
}
