package regress

import (
	"math"
	"testing"
)

// A warm start ends at the minimum that a cold start finds.
func TestWarmStartsFindTheSameMinimum(t *testing.T) {
	const dim, labels, images = 3, 2, 40
	d := dataOf(pictures(510, images, dim, labels), dim, labels)
	it := IterDefaults()
	it.Tolerance = 1e-7
	for name, o := range objectives(d, 1) {
		cold, warm := make([]float64, o.size()), make([]float64, o.size())
		c := minimize(o.value, cold, it)
		w := o.minimize(warm, it)
		if c.Status != Converged || w.Status != Converged || math.Abs(w.Value-c.Value) > 1e-6*math.Abs(c.Value) {
			t.Errorf("%s: cold %+v, warm %+v, want the same minimum", name, c, w)
		}
	}
}

// Few images are not worth a warm start, and none is no fault.
func TestFewImagesStartCold(t *testing.T) {
	d := dataOf(pictures(511, 31, 3, 2), 3, 2)
	o := newObjective(d, 2, 2, logisticNodes([]float64{1, 1}), 10, 1e-2, 1)
	cold, warm := make([]float64, o.size()), make([]float64, o.size())
	if c, w := minimize(o.value, cold, IterDefaults()), o.minimize(warm, IterDefaults()); c != w {
		t.Errorf("got %+v, want %+v", w, c)
	}
	empty := newObjective(&Data{Dim: 3, Labels: 2}, 2, 2, logisticNodes([]float64{1, 1}), 0, 1e-2, 1)
	if r := empty.minimize(make([]float64, empty.size()), IterDefaults()); r.Status != Converged {
		t.Errorf("without images: got %+v", r)
	}
}

// A progress function that stops a warm start stops it all.
func TestWarmStartsStop(t *testing.T) {
	d := dataOf(pictures(512, 40, 3, 2), 3, 2)
	o := newObjective(d, 2, 2, logisticNodes([]float64{1, 1}), 10, 1e-2, 1)
	it, calls := IterDefaults(), 0
	it.Progress = func(int, float64) bool { calls++; return false }
	if r := o.minimize(make([]float64, o.size()), it); r.Status != Stopped || calls != 1 {
		t.Errorf("got %+v after %d calls, want it stopped after one", r, calls)
	}
}
