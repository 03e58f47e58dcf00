package boost

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// groupWorld returns groups of ten nearly equal rows with one random label per group: a
// model that saw a group's other rows knows the label, one that did not has to guess.
func groupWorld(groups int) (x, y []float32, group []int) {
	r := rand.New(rand.NewPCG(1, 1))
	for g := range groups {
		center := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		label := float32(r.IntN(2))
		for range 10 {
			for _, c := range center {
				x = append(x, float32(c+0.001*r.NormFloat64()))
			}
			y, group = append(y, label), append(group, 1000+7*g)
		}
	}
	return x, y, group
}

func accuracy(p, y []float32) float64 {
	right := 0
	for i := range p {
		if (p[i] > 0.5) == (y[i] > 0.5) {
			right++
		}
	}
	return float64(right) / float64(len(p))
}

// Random labels are predicted no better than by chance, although the final model knows
// them by heart.
func TestCrossFitDoesNotLeak(t *testing.T) {
	x, y, group := groupWorld(300)
	opt := Defaults()
	opt.Trees, opt.Loss = 100, Logistic
	d := rowData(x, y, 3, 255)
	c, err := CrossFit(d, group, 5, opt, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	// 300 groups: the standard deviation of chance is 0.029.
	if a := accuracy(c.Out, y); math.Abs(a-0.5) > 0.1 {
		t.Errorf("out of sample: accuracy %.3f, want about 0.5", a)
	}
	if a := accuracy(c.Model.Predict(d.Design, 1), y); a < 0.95 {
		t.Errorf("in sample: accuracy %.3f, want about 1", a)
	}
	for i, f := range c.Fold {
		if i%97 == 0 && c.Without[f].Predict(d.Design, 1)[i] != c.Out[i] {
			t.Errorf("row %d: the model without its fold predicts something else", i)
		}
	}
	// The same rows in groups of one leak, which shows that the test can fail.
	for i := range group {
		group[i] = i
	}
	if c, err = CrossFit(d, group, 5, opt, 2, nil); err != nil {
		t.Fatal(err)
	}
	if a := accuracy(c.Out, y); a < 0.9 {
		t.Errorf("split groups: accuracy %.3f, want about 1", a)
	}
}

// Groups stay together, and folds get equal numbers of groups.
func TestFolds(t *testing.T) {
	_, _, group := groupWorld(23)
	fold, err := dealFolds(group, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	of, count := map[int]int{}, make([]int, 4)
	for i, g := range group {
		f, seen := of[g]
		if !seen {
			of[g] = fold[i]
			count[fold[i]]++
		} else if f != fold[i] {
			t.Fatalf("group %d is in folds %d and %d", g, f, fold[i])
		}
	}
	slices.Sort(count)
	if !slices.Equal(count, []int{5, 6, 6, 6}) {
		t.Errorf("groups per fold: got %v, want 5, 6, 6, 6", count)
	}
	for _, folds := range []int{0, 1, 24} {
		if _, err := dealFolds(group, folds, 1); err == nil {
			t.Errorf("%d folds of 23 groups were taken", folds)
		}
	}
}

// A row's prediction does not change with its own target.
func TestOutOfSampleIgnoresOwnTarget(t *testing.T) {
	x, y := noisy(1, 200, 3)
	group := make([]int, 200)
	for i := range group {
		group[i] = i / 4
	}
	opt := Defaults()
	opt.Trees = 5
	d := rowData(x, y, 3, 32)
	a, err := CrossFit(d, group, 3, opt, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Targets = slices.Clone(y)
	for i := range 4 {
		d.Targets[i] += 100
	}
	b, err := CrossFit(d, group, 3, opt, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Out[:4], b.Out[:4]) {
		t.Errorf("targets of group 0 changed its own predictions: %v, then %v", a.Out[:4], b.Out[:4])
	}
	if slices.Equal(a.Out[4:], b.Out[4:]) {
		t.Error("targets of group 0 changed no other prediction")
	}
}

func TestCrossFitStops(t *testing.T) {
	x, y, group := groupWorld(10)
	var last Progress
	c, err := CrossFit(rowData(x, y, 3, 8), group, 2, Defaults(), 1, func(p Progress) bool {
		last = p
		return p.Sequence < 1
	})
	if c != nil || !errors.Is(err, ErrStopped) {
		t.Fatalf("err %v, got %+v, want ErrStopped and no results", err, c)
	}
	if last.Sequence != 1 || last.Sequences != 3 || last.Tree != 1 {
		t.Errorf("stopped at sequence %d of %d, tree %d, want 1 of 3, tree 1", last.Sequence, last.Sequences, last.Tree)
	}
}

func TestHeld(t *testing.T) {
	h := NewHeld("all", []string{"without 0", "without 1"}, []int{7, 7, 9}, []int{1, 1, 0})
	for group, want := range map[int]string{7: "without 1", 9: "without 0", 8: "all"} {
		if got := h.Without(group); got != want {
			t.Errorf("group %d: got %q, want %q", group, got, want)
		}
	}
}
