package boost

import "fmt"

// Data is what Fit learns from. All slices are only read.
type Data struct {
	Design  Design
	Outputs int       // targets per row, at least 1
	Targets []float32 // output k of row i is Targets[i*Outputs+k]
	Weights []float32 // per row, finite and >= 0; nil means 1 for every row
	HeldOut []bool    // rows that only measure when to stop; nil means those that Options.HeldOut draws
}

// check panics where slices do not fit, and returns an error where a value is unusable.
func (d Data) check(opt Options) error {
	n := d.Design.Len()
	if d.Outputs < 1 || len(d.Targets) != n*d.Outputs {
		panic(fmt.Sprintf("boost: len(targets) = %d, want %d rows x %d outputs", len(d.Targets), n, d.Outputs))
	}
	if d.Weights != nil && len(d.Weights) != n {
		panic(fmt.Sprintf("boost: len(weights) = %d, want %d rows", len(d.Weights), n))
	}
	if d.HeldOut != nil && len(d.HeldOut) != n {
		panic(fmt.Sprintf("boost: len(heldOut) = %d, want %d rows", len(d.HeldOut), n))
	}
	for i, y := range d.Targets {
		if y-y != 0 {
			return fmt.Errorf("boost: row %d: target %d: got %v, want a finite number", i/d.Outputs, i%d.Outputs, y)
		}
		if opt.Loss == Logistic && (y < 0 || y > 1) {
			return fmt.Errorf("boost: row %d: target %d: got %v, want 0..1 for logistic loss", i/d.Outputs, i%d.Outputs, y)
		}
	}
	for i, w := range d.Weights {
		if w < 0 || w-w != 0 {
			return fmt.Errorf("boost: row %d: weight: got %v, want a finite number >= 0", i, w)
		}
	}
	return nil
}

// weights returns the weight of every row for training and for holding out; a row has at
// most one of them. held is nil when nothing is held out.
func (d Data) weights(opt Options) (train, held []float32) {
	n := d.Design.Len()
	train = make([]float32, n)
	for i := range train {
		train[i] = 1
		if d.Weights != nil {
			train[i] = d.Weights[i]
		}
	}
	if d.HeldOut == nil && opt.HeldOut == 0 {
		return train, nil
	}
	held = make([]float32, n)
	for i := range train {
		out := d.HeldOut == nil && uniform(opt.Seed, streamHeldOut, uint64(i)) < opt.HeldOut
		if out || d.HeldOut != nil && d.HeldOut[i] {
			train[i], held[i] = 0, train[i]
		}
	}
	return train, held
}

// Streams of random numbers that must not repeat each other.
const (
	streamHeldOut = iota
	streamRows
	streamColumns
	streamSketch
	streamFolds
)

// uniform returns number i of a stream: in [0, 1), a function of its arguments alone, so
// that any worker can draw any row. It is the output function of SplitMix64 (Steele, Lea,
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
func uniform(seed, stream, i uint64) float64 {
	return float64(mix(mix(seed*31+stream)+i*golden)>>11) / (1 << 53)
}

const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z += golden
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
