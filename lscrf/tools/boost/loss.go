package boost

import "math"

// baseOf returns the first prediction of an output with the given weighted mean.
func (l Loss) baseOf(mean float64) float32 {
	if l == Squared {
		return float32(mean)
	}
	mean = min(max(mean, 1e-6), 1-1e-6)
	return float32(math.Log(mean / (1 - mean)))
}

// gradients writes the negative derivative of each row's loss and, for Logistic, the
// second derivative, both times the row's weight, and returns the sums of the loss over
// the training rows and the held-out rows. All slices have width numbers per row, weights
// one; y has stride numbers per row.
func (l Loss) gradients(grad, hess, pred, y []float32, width, stride int, weights, held []float32) (loss, heldLoss float64) {
	for i, w := range weights {
		row := 0.0
		for k := range width {
			j := i*width + k
			t, p := float64(y[i*stride+k]), float64(pred[j])
			if l == Squared {
				grad[j] = w * float32(t-p)
				row += float64((t - p) * (t - p))
				continue
			}
			q := sigmoid(p)
			grad[j], hess[j] = w*float32(t-q), w*float32(q*(1-q))
			row += logLoss(t, p, q)
		}
		loss += float64(row * float64(w))
		if held != nil {
			heldLoss += float64(row * float64(held[i]))
		}
	}
	return loss, heldLoss
}

// logLoss returns -t log(q) - (1-t) log(1-q) for q = sigmoid(z), without overflow: as log(1-q) is
// log(q) - z, one logarithm is enough.
func logLoss(t, z, q float64) float64 {
	if q == 0 {
		return -float64(t * z) // exp(-z) overflowed: log(q) is z
	}
	return float64((1-t)*z) - math.Log(q)
}

// figure turns a sum of losses into what is reported: the root of the mean squared error,
// or the mean negative log-likelihood, per output.
func (l Loss) figure(sum, weight float64, width int) float64 {
	if weight == 0 {
		return 0
	}
	sum /= weight * float64(width)
	if l == Squared {
		return math.Sqrt(sum)
	}
	return sum
}
