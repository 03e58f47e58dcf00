package regress

import "fmt"

// A CV is the outcome of CrossValidate.
type CV struct {
	Lambda float64   // the best of Lambdas; of equals the largest
	Error  []float64 // per lambda: mean weighted squared error on held-out rows, over the learned outputs
	Folds  int       // folds that had rows to hold out and to learn from
}

// CrossValidate returns the lambda with the least squared error on rows that were held out, from
// statistics alone: folds[i] are those of the i-th part of the images, a model is learned from the sum
// of all the others, and its error on fold i is y·y - 2 v·b + v·G v with fold i's sums. The
// weights of balancing and the outputs to learn are those of all folds together, so that all are judged
// alike; errors are of the predictions before clamping. o.Lambda is ignored. The cost per lambda and
// fold is one Cholesky factorization. Folds without rows are left out; with fewer than two left, Folds says
// so and Lambda is the first.
func CrossValidate(folds []*Stats, lambdas []float64, o Options) CV {
	if len(folds) == 0 || len(lambdas) == 0 {
		panic(fmt.Sprintf("regress: %d folds and %d lambdas, want at least one of each", len(folds), len(lambdas)))
	}
	total := folds[0].Clone()
	for _, f := range folds[1:] {
		total.Merge(f)
	}
	learned := total.learned(o.MinRows)
	factors := Balanced(o.Balance, total.kind, total.labels, total.Weights(), learned)
	cv := CV{Lambda: lambdas[0], Error: make([]float64, len(lambdas))}
	weight := 0.0
	for _, f := range folds {
		held := f.Gram(factors)
		rest := total.Clone()
		rest.Sub(f)
		train := rest.Gram(factors)
		if held.Total() <= 0 || train.Total() <= 0 {
			continue
		}
		cv.Folds++
		weight += held.Total()
		for i, l := range lambdas {
			o.Lambda = l
			m, _ := SolveGram(train, o)
			for p, ok := range learned {
				if ok {
					cv.Error[i] += held.Total() * held.SquaredError(m, p)
				}
			}
		}
	}
	best := 0
	for i := range lambdas {
		if weight > 0 {
			cv.Error[i] /= weight
		}
		if cv.Error[i] < cv.Error[best] || cv.Error[i] == cv.Error[best] && lambdas[i] > lambdas[best] {
			best = i
		}
	}
	if cv.Folds >= 2 {
		cv.Lambda = lambdas[best]
	}
	return cv
}

// learned tells which outputs have enough rows.
func (s *Stats) learned(minRows int64) []bool {
	l := make([]bool, len(s.rows))
	for p, n := range s.rows {
		l[p] = n > 0 && n >= minRows
	}
	return l
}
