package manifests

import (
	"reflect"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want Spread
	}{
		{nil, Spread{}},
		{[]float64{3}, Spread{1, 3, 3, 3, 3, 3, 3}},
		// Ranks 0.25, 0.5 and 0.75 of 0..1 lie between the two.
		{[]float64{4, 2}, Spread{2, 3, 2, 2.5, 3, 3.5, 4}},
		// Ranks 0.75, 1.5 and 2.25 of 0..3: 1 + 0.75*1, 2 + 0.5*2, 4 + 0.25*5.
		{[]float64{9, 1, 4, 2}, Spread{4, 4, 1, 1.75, 3, 5.25, 9}},
	} {
		if got := SpreadOf(c.v); got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.v, got, c.want)
		}
	}
}

func TestTallies(t *testing.T) {
	image := func(w, h int) Image { return Image{Width: w, Height: h} }
	mask := func(tier Tier, revision, figure, void int, quality float64, status string) Mask {
		return Mask{Tier: tier, Revision: revision, Figure: figure, Void: void, Quality: quality, Status: status}
	}
	m := &Manifest{Records: []Record{
		{ID: "a", Split: Train, Tier: Manual, Image: image(10, 10), Masks: []Mask{mask(Manual, 0, 90, 0, 0, ""), mask(Manual, 1, 20, 20, 0, "")}},    // 20 / 80
		{ID: "b", Split: Train, Tier: BBox, Synset: "n1", Image: image(20, 10), Boxes: make([]Box, 2), Masks: []Mask{mask(BBox, 0, 50, 0, 0.5, "")}}, // 50 / 200
		{ID: "c", Split: Train, Tier: BBox, Synset: "n2", Image: image(30, 10), Boxes: make([]Box, 1),
			Masks: []Mask{mask(BBox, 0, 0, 300, 0.7, "empty"), mask(Manual, 0, 225, 0, 0, "")}}, // nothing but void; 225 / 300
		{ID: "d", Split: Train, Tier: None, Synset: "n2", Image: image(5, 6)},
		{ID: "z", Split: Test, Tier: Manual, Image: image(10, 20), Masks: []Mask{mask(Manual, 0, 100, 0, 0, "")}}, // 100 / 200
	}}
	one := func(x float64) Spread { return Spread{1, x, x, x, x, x, x} }
	want := []Tally{
		{Train, BBox, "", 2, 3, 2, 1, Spread{2, 25, 20, 22.5, 25, 27.5, 30}, Spread{2, 10, 10, 10, 10, 10, 10}, one(.25), Spread{2, .6, .5, .55, .6, .65, .7}},
		{Train, BBox, "n1", 1, 2, 1, 0, one(20), one(10), one(.25), one(.5)},
		{Train, BBox, "n2", 1, 1, 1, 1, one(30), one(10), Spread{}, one(.7)},
		{Train, Manual, "", 2, 1, 2, 0, Spread{2, 20, 10, 15, 20, 25, 30}, Spread{2, 10, 10, 10, 10, 10, 10}, Spread{2, .5, .25, .375, .5, .625, .75}, Spread{}},
		{Train, Manual, "n2", 1, 1, 1, 0, one(30), one(10), one(.75), Spread{}},
		{Train, None, "", 1, 0, 0, 0, one(5), one(6), Spread{}, Spread{}},
		{Train, None, "n2", 1, 0, 0, 0, one(5), one(6), Spread{}, Spread{}},
		{Test, Manual, "", 1, 0, 1, 0, one(10), one(20), one(.5), Spread{}},
	}
	got := Tallies(m, true)
	for i := range got {
		for _, s := range []*Spread{&got[i].Quality} { // 0.55 and the like are not exact in binary
			for _, v := range []*float64{&s.Mean, &s.Q1, &s.Median, &s.Q3} {
				*v = float64(int(*v*1000+.5)) / 1000
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	// Without synsets the rows are those of Counts.
	var counts []Count
	for _, g := range Tallies(m, false) {
		if g.Synset != "" {
			t.Errorf("got synset %s", g.Synset)
		}
		counts = append(counts, Count{g.Split, g.Tier, g.Images})
	}
	if !reflect.DeepEqual(counts, m.Counts()) {
		t.Errorf("got %v, want %v", counts, m.Counts())
	}
}
