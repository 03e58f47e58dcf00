package metric

import "fmt"

// A Confusion counts pixels by true and predicted label: N[t*(Labels+1)+p] pixels of
// true label t were given label p; the last column, p = Labels, counts labeled pixels
// that the predictor left void. Those are wrong, so abstaining does not pay.
type Confusion struct {
	Labels int `json:"labels"` // how many there are
	// pixels of true label t given p, at t*(labels+1)+p; p = labels is void
	N []int64 `json:"n"`
}

// NewConfusion returns an empty confusion of 1 to 254 labels.
func NewConfusion(labels int) *Confusion {
	if labels < 1 || labels >= Void {
		panic(fmt.Sprintf("metric: %d labels, want 1..254", labels))
	}
	return &Confusion{Labels: labels, N: make([]int64, labels*(labels+1))}
}

// Add counts the pixels of one map; those that are Void in truth are left out. Both maps
// have the same length and hold labels 0..Labels-1 or Void; anything else panics.
func (c *Confusion) Add(truth, predicted []uint8) {
	if len(truth) != len(predicted) {
		panic(fmt.Sprintf("metric: len(predicted) = %d, want %d as in truth", len(predicted), len(truth)))
	}
	for i, t := range truth {
		if t == Void {
			continue
		}
		p := int(predicted[i])
		if p == Void {
			p = c.Labels
		} else if p >= c.Labels {
			panic(fmt.Sprintf("metric: predicted[%d] = %d, want below %d or void", i, p, c.Labels))
		}
		if int(t) >= c.Labels {
			panic(fmt.Sprintf("metric: truth[%d] = %d, want below %d or void", i, t, c.Labels))
		}
		c.N[int(t)*(c.Labels+1)+p]++
	}
}

// Merge adds the counts of o, which has as many labels.
func (c *Confusion) Merge(o *Confusion) {
	if o.Labels != c.Labels {
		panic(fmt.Sprintf("metric: merging %d labels into %d", o.Labels, c.Labels))
	}
	for i, n := range o.N {
		c.N[i] += n
	}
}

// Pool returns the sum of the confusions of images; labels is the number of labels of each.
func Pool(labels int, images []*Confusion) *Confusion {
	sum := NewConfusion(labels)
	for _, c := range images {
		sum.Merge(c)
	}
	return sum
}

// At returns the pixels of a true label that were given the predicted label; predicted = Labels
// asks for those left void.
func (c *Confusion) At(truth, predicted int) int64 { return c.N[truth*(c.Labels+1)+predicted] }

// Truth returns the pixels of a true label.
func (c *Confusion) Truth(label int) (n int64) {
	for p := range c.Labels + 1 {
		n += c.At(label, p)
	}
	return n
}

// Predicted returns the labeled pixels that were given a label.
func (c *Confusion) Predicted(label int) (n int64) {
	for t := range c.Labels {
		n += c.At(t, label)
	}
	return n
}

// Pixels returns the number of pixels counted.
func (c *Confusion) Pixels() (n int64) {
	for _, v := range c.N {
		n += v
	}
	return n
}

// Accuracy returns the fraction of labeled pixels that are right; undefined without pixels.
func (c *Confusion) Accuracy() Value {
	var right int64
	for l := range c.Labels {
		right += c.At(l, l)
	}
	return Ratio(right, c.Pixels())
}

// Recall returns the fraction of a label's pixels that are right; undefined if the label
// is not in truth.
func (c *Confusion) Recall(label int) Value { return Ratio(c.At(label, label), c.Truth(label)) }

// PerClass returns the mean recall of the labels present in truth, the paper's "average per class
// accuracy", and how many are present.
func (c *Confusion) PerClass() (mean Value, present int) {
	return Mean(c.each(c.Recall))
}

// IoU returns the intersection over union of a label. A label that is in neither map has
// none; one that is predicted though absent in truth scores 0.
func (c *Confusion) IoU(label int) Value {
	in := c.At(label, label)
	return Ratio(in, c.Truth(label)+c.Predicted(label)-in)
}

func (c *Confusion) each(f func(label int) Value) []Value {
	v := make([]Value, c.Labels)
	for l := range v {
		v[l] = f(l)
	}
	return v
}

// PerImage applies a score to every image's confusion, in order.
func PerImage(images []*Confusion, score func(*Confusion) Value) []Value {
	v := make([]Value, len(images))
	for i, c := range images {
		v[i] = score(c)
	}
	return v
}

// The scores of the results tables, as functions of one confusion: apply them to Pool for
// the pooled figure and through PerImage and Mean for the mean over images. MeanIoU is over the
// labels that are in either map.
var (
	PixelAccuracy    = (*Confusion).Accuracy
	PerClassAccuracy = func(c *Confusion) Value { v, _ := c.PerClass(); return v }
	MeanIoU          = func(c *Confusion) Value { v, _ := Mean(c.each(c.IoU)); return v }
	FigureIoU        = func(c *Confusion) Value { return c.IoU(1) }
)
