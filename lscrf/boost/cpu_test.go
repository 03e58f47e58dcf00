package boost

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used: a busy machine does not
// change it much.
func cpuTime() time.Duration { return usage(syscall.RUSAGE_SELF) }

// childTime returns that of its finished children.
func childTime() time.Duration { return usage(syscall.RUSAGE_CHILDREN) }

func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
