package boost

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestHoldOut(t *testing.T) {
	group := []int{7, 3, 3, 9, 7, 5, 5, 2} // 2, 3, 5, 7, 9; 2 without weight
	weights := []float32{1, 1, 0, 1, 1, 1, 1, 0}
	opt := Defaults()
	taken := map[int]bool{}
	for seed := range uint64(40) {
		opt.Seed, opt.HeldOut = seed, 0.5
		held, err := HoldOut(group, weights, opt)
		if err != nil {
			t.Fatal(err)
		}
		drawn := map[int]bool{}
		for i, g := range group {
			if held[i] != held[slices.Index(group, g)] {
				t.Fatalf("seed %d: group %d is held out in part: %v", seed, g, held)
			}
			if held[i] {
				drawn[g], taken[g] = true, true
			}
		}
		if len(drawn) != 2 {
			t.Errorf("seed %d: %d of 4 groups are held out, want 2", seed, len(drawn))
		}
	}
	if len(taken) != 4 || taken[2] {
		t.Errorf("40 seeds drew the groups %v, want 3, 5, 7 and 9", taken)
	}
	opt.HeldOut = 0
	if held, err := HoldOut(group, weights, opt); held != nil || err != nil {
		t.Errorf("nothing to hold out: got %v, %v", held, err)
	}
	for _, f := range []float64{1e-6, 0.12, 0.88, 0.999} {
		opt.HeldOut = f
		var few *FewError
		if _, err := HoldOut(group, weights, opt); !errors.As(err, &few) || few.Have != 4 || !strings.Contains(err.Error(), "want 0.25..0.75") {
			t.Errorf("%v of 4 groups: got error %v", f, err)
		}
	}
}

// Groups whose rows are copies with one random target each: their own rows tell it, other groups' do not. Held out row by row,
// a loss falls that nothing can lower for a new group; held out as groups, it does not, in cross-fitting either.
func TestGroupsAreHeldOutWhole(t *testing.T) {
	const groups, each, dim = 300, 6, 6
	r := rand.New(rand.NewPCG(8, 1))
	var x, y []float32
	var group []int
	for g := range groups {
		row := make([]float32, dim)
		for f := range row {
			row[f] = float32(r.NormFloat64())
		}
		target := float32(r.IntN(2))
		for range each {
			x, y, group = append(x, row...), append(y, target), append(group, g)
		}
	}
	d := rowData(x, y, dim, 64)
	opt := Defaults()
	opt.Trees, opt.HeldOut, opt.Patience = 60, 0.2, 10
	byRow, _ := mustFit(t, d, opt, 2)
	if n := byRow.trees(); n != opt.Trees {
		t.Fatalf("rows held out singly: %d trees, want all %d: the test has no power", n, opt.Trees)
	}
	total, models := 0, 0
	for seed := range uint64(5) {
		opt.Seed = 1 + seed
		var err error
		if d.HeldOut, err = HoldOut(group, nil, opt); err != nil {
			t.Fatal(err)
		}
		m, _ := mustFit(t, d, opt, 2)
		d.HeldOut = nil
		c, err := CrossFit(d, group, 3, opt, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range append(c.Without, c.Model, m) {
			total += m.trees()
			models++
		}
	}
	if mean := float64(total) / float64(models); mean > 10 {
		t.Errorf("groups held out: %.1f trees in the mean for what cannot be learned, want nearly none", mean)
	}
}

// A fraction of rows that holds out none, or all, is an error and no model of zero trees.
func TestNothingHeldOut(t *testing.T) {
	x, y := noisy(10, 100, 3)
	opt := Defaults()
	opt.Trees, opt.Patience = 5, 2
	for _, f := range []float64{1e-6, 1 - 1e-6} {
		opt.HeldOut = f
		var few *FewError
		if _, _, err := Fit(rowData(x, y, 3, 16), opt, 1, nil); !errors.As(err, &few) || few.Option != "heldOut" || few.Have != 100 {
			t.Errorf("heldOut %v of 100 rows: got error %v", f, err)
		}
	}
	d := rowData(x, y, 3, 16)
	d.HeldOut, opt.HeldOut = make([]bool, 100), 0.5
	var few *FewError
	if _, _, err := Fit(d, opt, 1, nil); !errors.As(err, &few) {
		t.Errorf("no row marked: got error %v", err)
	}
}
