package metric

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"hdseg/lscrf/internal/peer"
)

func is(t *testing.T, name string, got Value, want float64) {
	t.Helper()
	if !got.OK || math.Abs(got.V-want) > 1e-12 {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func undefined(t *testing.T, name string, got Value) {
	t.Helper()
	if got.OK {
		t.Errorf("%s = %v, want undefined", name, got)
	}
}

func TestConfusionByHand(t *testing.T) {
	// truth      0 0 0 1 1 255 1 0 | predicted 0 1 0 1 0 1 1 255
	// row 0: 0->0 twice, 0->1 once, 0->void once; row 1: 1->1 twice, 1->0 once.
	c := NewConfusion(2)
	c.Add([]uint8{0, 0, 0, 1, 1, 255, 1, 0}, []uint8{0, 1, 0, 1, 0, 1, 1, 255})
	for i, want := range []int64{2, 1, 1, 1, 2, 0} {
		if c.N[i] != want {
			t.Fatalf("N = %v, want [2 1 1 1 2 0]", c.N)
		}
	}
	is(t, "accuracy", c.Accuracy(), 4.0/7)
	is(t, "recall 0", c.Recall(0), 2.0/4)
	is(t, "recall 1", c.Recall(1), 2.0/3)
	m, n := c.PerClass()
	is(t, "per class", m, (1.0/2+2.0/3)/2)
	if n != 2 {
		t.Errorf("%d classes present, want 2", n)
	}
	is(t, "IoU 0", c.IoU(0), 2.0/(4+3-2)) // truth 4, predicted 3, both 2
	is(t, "IoU 1", c.IoU(1), 2.0/(3+3-2)) // the predicted figure on void is not counted
	is(t, "mean IoU", MeanIoU(c), (0.4+0.5)/2)
	is(t, "figure IoU", FigureIoU(c), 0.5)
}

func TestAbsentClasses(t *testing.T) {
	// Three labels: 0 in both, 1 only predicted, 2 in neither.
	c := NewConfusion(3)
	c.Add([]uint8{0, 0, 0, 0}, []uint8{0, 0, 0, 1})
	undefined(t, "recall of a label that is only predicted", c.Recall(1))
	is(t, "IoU of a label that is only predicted", c.IoU(1), 0)
	undefined(t, "IoU of a label in neither map", c.IoU(2))
	m, n := c.PerClass()
	is(t, "per class", m, 0.75)
	if n != 1 {
		t.Errorf("%d classes present in truth, want 1", n)
	}
	is(t, "mean IoU", MeanIoU(c), 0.375) // of labels 0 and 1

	void := NewConfusion(2)
	void.Add([]uint8{255, 255}, []uint8{0, 1})
	undefined(t, "accuracy of void", void.Accuracy())
	undefined(t, "per class of void", PerClassAccuracy(void))
	undefined(t, "IoU of void", FigureIoU(void))
}

func TestPooledAndPerImageMeans(t *testing.T) {
	// Image A: figure 1 of 2 right, ground 8 of 8. Image B: figure 90 of 90, no ground. Image C:
	// all void.
	a, b, c := NewConfusion(2), NewConfusion(2), NewConfusion(2)
	a.N = []int64{8, 0, 0, 1, 1, 0}
	b.N = []int64{0, 0, 0, 0, 90, 0}
	images := []*Confusion{a, b, c}
	is(t, "pooled per class", PerClassAccuracy(Pool(2, images)), (8.0/8+91.0/92)/2)
	m, n := Mean(PerImage(images, PerClassAccuracy))
	is(t, "mean of images", m, (0.75+1)/2)
	if n != 2 {
		t.Errorf("%d images scored, want 2: void has no score", n)
	}
}

func TestBadMapsPanic(t *testing.T) {
	peer.Panics(t, map[string]func(){
		"lengths":   func() { NewConfusion(2).Add(make([]uint8, 2), make([]uint8, 3)) },
		"truth":     func() { NewConfusion(2).Add([]uint8{2}, []uint8{0}) },
		"predicted": func() { NewConfusion(2).Add([]uint8{0}, []uint8{2}) },
		"merge":     func() { NewConfusion(2).Merge(NewConfusion(3)) },
		"nan":       func() { Of(math.NaN()) },
	})
}

func TestValueJSON(t *testing.T) {
	b, err := json.Marshal(map[string]Value{"a": {}, "b": Of(0.25)})
	if err != nil || string(b) != `{"a":null,"b":0.25}` {
		t.Fatalf("got %s, %v", b, err)
	}
	var back map[string]Value
	if err := json.Unmarshal(b, &back); err != nil || back["a"].OK || back["b"] != Of(0.25) {
		t.Fatalf("read back %v, %v", back, err)
	}
}

// Splitting a map anywhere and merging gives the same counts.
func TestMergeIsAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SampledFrom([]uint8{0, 1, 2, 255})
		truth := rapid.SliceOfN(label, 1, 40).Draw(t, "truth")
		pred := rapid.SliceOfN(label, len(truth), len(truth)).Draw(t, "predicted")
		cut := rapid.IntRange(0, len(truth)).Draw(t, "cut")
		whole, left, right := NewConfusion(3), NewConfusion(3), NewConfusion(3)
		whole.Add(truth, pred)
		left.Add(truth[:cut], pred[:cut])
		right.Add(truth[cut:], pred[cut:])
		left.Merge(right)
		for i := range whole.N {
			if whole.N[i] != left.N[i] {
				t.Fatalf("whole %v, parts %v", whole.N, left.N)
			}
		}
	})
}

func BenchmarkConfusion(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	truth, pred := make([]uint8, 500*375), make([]uint8, 500*375)
	for i := range truth {
		truth[i], pred[i] = uint8(rng.IntN(2)), uint8(rng.IntN(2))
	}
	c := NewConfusion(2)
	b.ReportAllocs()
	for b.Loop() {
		c.Add(truth, pred)
	}
	b.ReportMetric(float64(b.N*len(truth))/b.Elapsed().Seconds()/1e6, "Mpx/s")
}
