package remote

import (
	"fmt"
	"time"
)

// Options say how to speak to a server. Credentials come from the usual places of the AWS tools.
type Options struct {
	Endpoint  string // URL; "" for that of the environment, or Amazon's
	Region    string // "" for the usual places, then us-east-1
	Workers   int    // transfers at a time, 1 to MostWorkers; default 16 (ours)
	PartBytes int64  // size of parts of larger files, 5 MiB to 5 GiB; default 64 MiB (ours)
	Rate      int64  // bytes a second that are sent, and received, at most, 0 for no limit
	Attempts  int    // tries of one request before it is given up, 1..; default 8 (ours)

	// Stall ends a try of which no byte has moved for so long, 0 for never; default 60 s (ours).
	// After mostStalls of them the request is given up.
	Stall time.Duration

	// Notice is called, one call at a time, with a line that says what keeps a request waiting,
	// once for each cause; nil for nobody (default).
	Notice func(line string)
}

// MostWorkers is how many transfers may run at a time: each has a connection and open files.
const MostWorkers = 256

// Defaults returns the options that are used unless told otherwise.
func Defaults() Options {
	return Options{Workers: 16, PartBytes: 64 << 20, Attempts: 8, Stall: time.Minute}
}

// Validate reports what keeps the options from being used.
func (o Options) Validate() error {
	switch {
	case o.Workers < 1 || o.Workers > MostWorkers:
		return fmt.Errorf("remote: transfers: got %d, want 1 to %d", o.Workers, MostWorkers)
	case o.PartBytes < 5<<20 || o.PartBytes > 5<<30:
		return fmt.Errorf("remote: part: got %d bytes, want the 5 MiB to 5 GiB that servers accept", o.PartBytes)
	case o.Rate < 0:
		return fmt.Errorf("remote: rate: got %d bytes a second, want 0 or more", o.Rate)
	case o.Attempts < 1:
		return fmt.Errorf("remote: attempts: got %d, want at least 1", o.Attempts)
	case o.Stall < 0:
		return fmt.Errorf("remote: stall: got %v, want 0 or more", o.Stall)
	case o.Endpoint != "":
		return checkEndpoint(o.Endpoint)
	}
	return nil
}
