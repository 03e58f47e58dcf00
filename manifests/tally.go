package manifests

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Tally sums up the records of one split that count for one tier, and their newest masks of it.
type Tally struct {
	Split  Split  `json:"split"`
	Tier   Tier   `json:"tier"`
	Synset string `json:"synset,omitempty"` // "" for all together
	Images int    `json:"images"`
	Boxes  int    `json:"boxes"`
	Masks  int    `json:"masks"`
	Doubts int    `json:"doubts"` // masks whose status says why to distrust them

	Width       Spread `json:"width"`        // of the images, in pixels
	Height      Spread `json:"height"`       //
	FigureShare Spread `json:"figure_share"` // figure / (figure + ground), 0..1
	Quality     Spread `json:"quality"`      // of the masks that have one: predicted IoU, 0..1
}

// A Spread describes N numbers, 0 if there are none. The quartiles interpolate linearly (type 7 of
// Hyndman and Fan, 1996).
type Spread struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    float64 `json:"max"`
}

// Tallies returns one Tally per split and tier, in the order of Counts, each followed by one per
// synset if bySynset. A record with masks of two tiers counts in both.
func Tallies(m *Manifest, bySynset bool) []Tally {
	type key struct {
		split  Split
		tier   Tier
		synset string
	}
	groups := map[key]*gathered{}
	add := func(k key, r *Record) {
		g := groups[k]
		if g == nil {
			g = &gathered{}
			groups[k] = g
		}
		g.add(k.tier, r)
	}
	for i := range m.Records {
		r := &m.Records[i]
		for _, t := range r.Tiers() {
			add(key{r.Split, t, ""}, r)
			if bySynset && r.Synset != "" {
				add(key{r.Split, t, r.Synset}, r)
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b key) int {
		return cmp.Or(-cmp.Compare(a.split, b.split), cmp.Compare(a.tier, b.tier), cmp.Compare(a.synset, b.synset))
	})
	out := make([]Tally, len(keys))
	for i, k := range keys {
		g := groups[k]
		g.Split, g.Tier, g.Synset = k.split, k.tier, k.synset
		g.Width, g.Height = SpreadOf(g.widths), SpreadOf(g.heights)
		g.FigureShare, g.Quality = SpreadOf(g.shares), SpreadOf(g.qualities)
		out[i] = g.Tally
	}
	return out
}

type gathered struct {
	Tally
	widths, heights, shares, qualities []float64
}

func (g *gathered) add(t Tier, r *Record) {
	g.Images++
	g.Boxes += len(r.Boxes)
	g.widths = append(g.widths, float64(r.Image.Width))
	g.heights = append(g.heights, float64(r.Image.Height))
	k, ok := r.MaskOf(t)
	if !ok {
		return
	}
	g.Masks++
	if k.Status != "" {
		g.Doubts++
	}
	if n := r.Image.Width*r.Image.Height - k.Void; n > 0 {
		g.shares = append(g.shares, float64(k.Figure)/float64(n))
	}
	if k.Quality > 0 {
		g.qualities = append(g.qualities, k.Quality)
	}
}

// SpreadOf describes the numbers, which it sorts in place. None of them may be NaN.
func SpreadOf(v []float64) Spread {
	if len(v) == 0 {
		return Spread{}
	}
	slices.Sort(v)
	sum := 0.
	for _, x := range v {
		sum += x
	}
	at := func(p float64) float64 {
		h := float64(p * float64(len(v)-1))
		i := int(math.Floor(h))
		j := min(i+1, len(v)-1)
		return v[i] + float64((h-float64(i))*(v[j]-v[i]))
	}
	return Spread{len(v), sum / float64(len(v)), v[0], at(.25), at(.5), at(.75), v[len(v)-1]}
}
