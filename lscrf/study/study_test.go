package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
	"hdseg/lscrf/superpixel"
	"hdseg/manifests"
)

// scene is a picture of 6 x 5 superpixels of one pixel each. Its first feature is the label plus noise, the second noise.
func scene(id string, tier manifests.Tier, wrong float64, rng *rand.Rand) lscrf.Scored {
	const rows, cols = 6, 5
	g := &lscrf.Graph{ID: id, N: rows * cols, Dim: 2}
	truth, seen := make([]uint8, g.N), make([]uint8, g.N)
	m := &superpixel.Map{Width: cols, Height: rows, N: g.N}
	for s := range g.N {
		if s%cols >= 1+rng.IntN(3) {
			truth[s] = 1
		}
		if seen[s] = truth[s]; rng.Float64() < wrong {
			seen[s] = 1 - seen[s]
		}
		g.Features = append(g.Features, float32(truth[s])+0.5*float32(rng.NormFloat64()), float32(rng.NormFloat64()))
		m.Labels = append(m.Labels, int32(s))
		if s%cols+1 < cols {
			g.Edges = append(g.Edges, [2]int32{int32(s), int32(s + 1)})
		}
		if s/cols+1 < rows {
			g.Edges = append(g.Edges, [2]int32{int32(s), int32(s + cols)})
		}
		g.Sizes = append(g.Sizes, 1)
	}
	g.Labels = map[manifests.Tier][]uint8{tier: seen}
	return lscrf.Scored{Graph: g, Map: m, Truth: truth}
}

// world has manual images without faults, bbox images with few, and label images of which most labels are wrong.
func world() (*Input, Options) {
	rng := rand.New(rand.NewPCG(7, 0))
	in := &Input{Options: lscrf.TrainDefaults(), About: lscrf.Model{Labels: lscrf.FigureGround(), Setup: lscrf.DefaultSetup()}, Quality: map[string]TierQuality{}}
	in.Options.MinRows = 1
	var train lscrf.Memory
	for _, t := range []struct {
		tier  manifests.Tier
		n     int
		wrong float64
	}{{manifests.Manual, 24, 0}, {manifests.BBox, 30, 0.1}, {manifests.Label, 40, 0.7}} {
		for i := range t.n {
			im := scene(fmt.Sprintf("%s%03d", t.tier, i), t.tier, t.wrong, rng)
			train = append(train, im)
			if t.tier == manifests.Manual {
				in.Manual = append(in.Manual, im)
			} else {
				in.Quality[im.ID] = TierQuality{t.tier: 0.5 + float64(i)/100}
			}
		}
	}
	in.Train = train
	for i := range 20 {
		in.Test = append(in.Test, scene(fmt.Sprintf("test%03d", i), manifests.Manual, 0, rng))
	}
	o := Defaults()
	o.Draws, o.Folds, o.Samples = 2, 3, 100
	return in, o
}

func study(t *testing.T, change func(*Options)) *Result {
	t.Helper()
	in, o := world()
	change(&o)
	r, err := Run(context.Background(), in, o, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestStudyIsTheSameForAnyWorkers(t *testing.T) {
	one := text(t, study(t, func(*Options) {}))
	if many := text(t, study(t, func(o *Options) { o.Workers = 7 })); many != one {
		t.Errorf("7 workers: got\n%s, want\n%s", many, one)
	}
}

func TestSeedChangesOnlyWhatIsDrawn(t *testing.T) {
	a, b := study(t, func(*Options) {}), study(t, func(o *Options) { o.Seed = 5 })
	for i, c := range a.Curves {
		last := len(c.Points) - 1
		if x, y := text(t, c.Points[last]), text(t, b.Curves[i].Points[last]); x != y {
			t.Errorf("%s, all images: got %s and %s", c.Tier, x, y)
		}
		if text(t, c.Points[0].Draws) == text(t, b.Curves[i].Points[0].Draws) {
			t.Errorf("%s: another seed draws the same images", c.Tier)
		}
	}
	for i, l := range a.Leave {
		if m := b.Leave[i]; l.Accuracy != m.Accuracy || l.Difference != m.Difference {
			t.Errorf("without %q: got %v and %v", l.Without, l, m)
		}
	}
	if a.Oracle != b.Oracle {
		t.Errorf("oracle: got %v and %v", a.Oracle, b.Oracle)
	}
}

func TestStudyFindsWhatTiersAreWorth(t *testing.T) {
	r := study(t, func(*Options) {})
	if len(r.Curves) != 3 || len(r.Leave) != 4 || r.Weights == nil || len(r.Quality) != 8 {
		t.Fatalf("got %d curves, %d leave-outs, weights %v, %d thresholds", len(r.Curves), len(r.Leave), r.Weights, len(r.Quality))
	}
	if r.Oracle != metric.Of(100) {
		t.Errorf("superpixels of one pixel: got oracle %v, want 100", r.Oracle)
	}
	manual, label := r.Curves[0].Points, r.Curves[2].Points
	if m, l := manual[len(manual)-1].Mean.V, label[len(label)-1].Mean.V; m < 75 || m < l+10 {
		t.Errorf("got manual %.1f and label %.1f, want manual well above chance and above label", m, l)
	}
	if w := r.Weights; len(w.Chosen) != 3 || len(w.Mixes) != 7 || !w.Against.CI[1].OK || w.Against.CI[1].V < 0 {
		t.Errorf("weights are worse than the best mix: %+v", w)
	}
	q := r.Quality[2] // bbox, the better half of 30
	if q.Keep != 0.5 || q.Images != 15 || math.Abs(q.Least-0.65) > 1e-9 {
		t.Errorf("got %+v, want the 15 images from quality 0.65 on", q)
	}
}

func TestReach(t *testing.T) {
	c := Curve{Points: []Point{{Images: 10, Mean: metric.Of(60)}, {Images: 40, Mean: metric.Of(70)}, {Images: 80, Mean: metric.Of(68)}, {Images: 160, Mean: metric.Of(72)}}}
	for _, want := range []struct {
		accuracy, images float64
		bound            string
	}{
		{55, 10, "below"},
		{60, 10, ""},
		{65, 20, ""}, // halfway from 10 to 40 by logarithm
		{70, 40, ""},
		{71, 80 * math.Pow(2, 0.75), ""}, // three quarters of the way from 68 to 72
		{73, 160, "above"},
	} {
		if n, bound := c.reach(want.accuracy); math.Abs(n-want.images) > 1e-9 || bound != want.bound {
			t.Errorf("%v: got %v %q, want %v %q", want.accuracy, n, bound, want.images, want.bound)
		}
	}
}

func TestSizesAndMixes(t *testing.T) {
	s := &state{o: Options{First: 8}}
	if got := text(t, s.sizes(33)); got != "[8,16,32,33]" {
		t.Errorf("got %s", got)
	}
	if got := text(t, s.sizes(5)); got != "[5]" {
		t.Errorf("got %s", got)
	}
	if got := text(t, mixesOf(2)); got != "[[1,0],[0,1],[1,1]]" {
		t.Errorf("got %s", got)
	}
}

func TestOptionsNameAllFaults(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	err := Options{Weights: []float64{-1}, Keep: []float64{1}}.Validate()
	if err == nil {
		t.Fatal("empty options are valid")
	}
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 7 {
		t.Errorf("got %v, want 7 faults", err)
	}
}
