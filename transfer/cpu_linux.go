package transfer

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A cpuClock measures the processor time of the calling goroutine, which it ties to a thread until
// stop.
type cpuClock struct{ start time.Duration }

func startCPU() cpuClock {
	runtime.LockOSThread()
	return cpuClock{threadTime()}
}

// stop returns the time since startCPU in milliseconds.
func (c cpuClock) stop() float64 {
	d := threadTime() - c.start
	runtime.UnlockOSThread()
	return float64(d) / float64(time.Millisecond)
}

func threadTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
