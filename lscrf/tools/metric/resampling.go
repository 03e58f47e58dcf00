package metric

// A Resampling says how often an interval or a test draws, and when it gives up.
type Resampling struct {
	Samples int         // 1..
	Stop    func() bool // asked before every draw: true ends all, without a result; nil: never
}

// Times returns a resampling that draws so often, whatever happens.
func Times(samples int) Resampling { return Resampling{Samples: samples} }

func (r Resampling) stopped() bool { return r.Stop != nil && r.Stop() }
