//go:build !unix

package pipeline

import "time"

// CPUTime returns 0: it is not known here.
func CPUTime() time.Duration { return 0 }
