package regress

import (
	"math"
	"slices"

	"hdseg/lscrf/internal/faults"
	"hdseg/manifests/arith"
)

// A Status says how an iterative solver ended.
type Status string

const (
	Converged Status = "converged" // the stopping rule was met
	Limit     Status = "limit"     // the iteration limit came first
	Stalled   Status = "stalled"   // rounding leaves no smaller value in the search direction
	Stopped   Status = "stopped"   // the progress function said so
)

// An Iterations reports on an iterative solver.
type Iterations struct {
	Status     Status
	Iterations int
	Value      float64 // of the objective
}

// IterOptions steer the iterative solvers.
type IterOptions struct {
	// Iterations is the limit of iterations, 1 or more. At most 1000000; default 200 (ours).
	Iterations int `yaml:"iterations"`
	// Tolerance ends the iterations, above 0; more ends earlier. They end when the largest absolute
	// derivative is below it times max(1, |value|). Default 1e-6, ours.
	Tolerance float64 `yaml:"tolerance"`
	// Workers is the number of goroutines, which changes nothing in the result. At least 1; default
	// 1.
	Workers int `yaml:"-" json:"-"`
	// Progress, if not nil, is called after every iteration; false stops.
	Progress func(iteration int, value float64) bool `yaml:"-" json:"-"`
}

// IterDefaults returns the default options.
func IterDefaults() IterOptions { return IterOptions{Iterations: 200, Tolerance: 1e-6, Workers: 1} }

// Validate returns all faults.
func (o IterOptions) Validate() error {
	var f faults.List
	f.Want(o.Iterations >= 1 && o.Iterations <= 1e6, "iterations", o.Iterations, "1 to 1000000")
	f.Want(o.Tolerance > 0, "tolerance", o.Tolerance, "above 0")
	f.Want(o.Workers >= 1, "workers", o.Workers, "1 or more")
	return f.Err()
}

// memory is the number of steps that L-BFGS remembers.
const memory = 12

// minimize runs L-BFGS from x, which it leaves at the best point found (Liu and Nocedal, "On the
// limited memory BFGS method for large scale optimization", 1989, with the weak Wolfe bisection of
// Lewis and Overton, "Nonsmooth optimization via quasi-Newton methods", 2013). f returns the value
// and fills the gradient.
func minimize(f func(x, grad []float64) float64, x []float64, o IterOptions) Iterations {
	n := len(x)
	g, d, xNew, gNew := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	var ss, ys [][]float64
	var rho []float64
	r := Iterations{Status: Limit, Value: f(x, g)}
	for r.Iterations < o.Iterations {
		if largest(g) <= o.Tolerance*max(1, math.Abs(r.Value)) {
			r.Status = Converged
			return r
		}
		// Two-loop recursion.
		copy(d, g)
		alpha := make([]float64, len(ss))
		for i := len(ss) - 1; i >= 0; i-- {
			alpha[i] = rho[i] * arith.Dot(ss[i], d)
			arith.AddScaled(d, -alpha[i], ys[i])
		}
		if last := len(ss) - 1; last >= 0 {
			scale(d, 1/(rho[last]*arith.Dot(ys[last], ys[last])))
		}
		for i := range ss {
			arith.AddScaled(d, alpha[i]-float64(rho[i]*arith.Dot(ys[i], d)), ss[i])
		}
		scale(d, -1)
		slope := arith.Dot(g, d)
		step := 1.0
		if len(ss) == 0 {
			step = min(1, 1/math.Sqrt(arith.Dot(g, g)))
		}
		low, high := 0.0, math.Inf(1)
		ok := false
		for range 40 {
			copy(xNew, x)
			arith.AddScaled(xNew, step, d)
			v := f(xNew, gNew)
			switch {
			case !(v <= r.Value+float64(1e-4*step*slope)):
				high = step
			case arith.Dot(gNew, d) < 0.9*slope:
				low = step
			default:
				ok = true
			}
			if ok {
				r.Value = v
				break
			}
			if math.IsInf(high, 1) {
				step *= 2
			} else {
				step = (low + high) / 2
			}
		}
		if !ok {
			if len(ss) > 0 { // forget a bad model of the curvature and try the gradient
				ss, ys, rho = nil, nil, nil
				r.Iterations++
				continue
			}
			r.Status = Stalled
			return r
		}
		s, y := make([]float64, n), make([]float64, n)
		for i := range s {
			s[i], y[i] = xNew[i]-x[i], gNew[i]-g[i]
		}
		copy(x, xNew)
		copy(g, gNew)
		if sy := arith.Dot(s, y); sy > 1e-300 {
			if len(ss) == memory {
				ss, ys, rho = slices.Delete(ss, 0, 1), slices.Delete(ys, 0, 1), slices.Delete(rho, 0, 1)
			}
			ss, ys, rho = append(ss, s), append(ys, y), append(rho, 1/sy)
		}
		r.Iterations++
		if o.Progress != nil && !o.Progress(r.Iterations, r.Value) {
			r.Status = Stopped
			return r
		}
	}
	return r
}

// largest returns the largest absolute value.
func largest(v []float64) (top float64) {
	for _, u := range v {
		top = max(top, math.Abs(u))
	}
	return top
}

func scale(v []float64, s float64) {
	for i := range v {
		v[i] *= s
	}
}
