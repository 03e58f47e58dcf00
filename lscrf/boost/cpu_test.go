package boost

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used: a busy machine does not
// change it much.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
