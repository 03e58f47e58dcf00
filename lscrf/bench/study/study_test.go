package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
)

// scene is a picture of 6 x 5 superpixels of one pixel each. Its first feature is the label plus noise, the second noise.
func scene(id string, tier manifests.Tier, wrong float64, rng *rand.Rand) bench.Scored {
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
	return bench.Scored{Graph: g, Map: m, Truth: truth}
}

// world has manual images without faults, bbox images with few, and label images of which most labels are wrong.
func world() (in *lscrf.Trainer, test []bench.Scored, o Options) {
	rng := rand.New(rand.NewPCG(7, 0))
	in = &lscrf.Trainer{Options: lscrf.TrainDefaults(), About: lscrf.Model{Labels: lscrf.FigureGround(), Setup: lscrf.Setup{Superpixel: superpixel.Defaults(), Feature: feature.Defaults()}}}
	in.Options.MinRows = 1
	in.Options.Trees.Trees, in.Options.Trees.Depth = 20, 3
	var train lscrf.Memory
	for _, t := range []struct {
		tier  manifests.Tier
		n     int
		wrong float64
	}{{manifests.Manual, 24, 0}, {manifests.BBox, 30, 0.1}, {manifests.Label, 40, 0.7}} {
		for i := range t.n {
			im := scene(fmt.Sprintf("%s%03d", t.tier, i), t.tier, t.wrong, rng)
			train = append(train, im.Graph)
		}
	}
	in.Source = train
	for i := range 20 {
		test = append(test, scene(fmt.Sprintf("test%03d", i), manifests.Manual, 0, rng))
	}
	o = Defaults()
	o.Draws, o.Samples = 2, 100
	return in, test, o
}

func study(t *testing.T, change func(*Options)) *Result {
	t.Helper()
	in, test, o := world()
	change(&o)
	r, err := Run(context.Background(), in, test, o, unseen)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Times) != 2 {
		t.Errorf("times: got %v, want those of two parts", r.Times)
	}
	r.Times = nil
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

func TestTreesHaveCurves(t *testing.T) {
	small := func(o *Options) { o.Model, o.Draws, o.Workers = lscrf.Trees, 1, 3 }
	r, again := study(t, small), study(t, func(o *Options) { small(o); o.Workers = 1 })
	if text(t, r) != text(t, again) {
		t.Error("one and three workers differ")
	}
	linear := study(t, func(o *Options) { o.Draws = 1 })
	for i, c := range r.Curves {
		if len(c.Points) != len(linear.Curves[i].Points) || text(t, c) == text(t, linear.Curves[i]) {
			t.Errorf("%s: got %d points, want %d, and another curve than that of linear models", c.Tier, len(c.Points), len(linear.Curves[i].Points))
		}
	}
	if p := r.Curves[0].Points; p[len(p)-1].Mean.V < 75 {
		t.Errorf("trees on all manual images: got %.1f, want well above chance", p[len(p)-1].Mean.V)
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
	if len(r.Curves) != 3 || len(r.Leave) != 4 {
		t.Fatalf("got %d curves and %d leave-outs", len(r.Curves), len(r.Leave))
	}
	if r.Oracle != metric.Of(100) {
		t.Errorf("superpixels of one pixel: got oracle %v, want 100", r.Oracle)
	}
	manual, label := r.Curves[0].Points, r.Curves[2].Points
	if m, l := manual[len(manual)-1].Mean.V, label[len(label)-1].Mean.V; m < 75 || m < l+10 {
		t.Errorf("got manual %.1f and label %.1f, want manual well above chance and above label", m, l)
	}
}

// Sizes double from 8 to all images, which one order measures; an order's samples contain each other
// and have the source's order.
func TestDraws(t *testing.T) {
	in, test, o := world()
	s, err := newState(t.Context(), in, test, o, unseen)
	if err != nil {
		t.Fatal(err)
	}
	var sizes [][2]int
	for _, d := range s.draws() {
		if d.tier == manifests.BBox {
			sizes = append(sizes, [2]int{d.images, d.order})
		}
	}
	if got := fmt.Sprint(sizes); got != "[[8 0] [8 1] [16 0] [16 1] [30 0]]" {
		t.Errorf("got %s", got)
	}
	few, more := s.sample(draw{manifests.BBox, 8, 1}).graphs, s.sample(draw{manifests.BBox, 16, 1}).graphs
	ids := func(graphs lscrf.Memory) (out []string) {
		for _, g := range graphs {
			out = append(out, g.ID)
		}
		return out
	}
	for _, id := range ids(few) {
		if !slices.Contains(ids(more), id) {
			t.Errorf("%s is in 8 images and not in 16", id)
		}
	}
	if len(few) != 8 || len(more) != 16 || !slices.IsSorted(ids(more)) {
		t.Errorf("got %q", ids(more))
	}
}

func TestOptionsNameAllFaults(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	err := Options{}.Validate()
	if err == nil {
		t.Fatal("empty options are valid")
	}
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 4 {
		t.Errorf("got %v, want 4 faults", err)
	}
	for want, change := range map[string]func(o *Options){ // what would have no end
		"draws: got 2000000000, want 1..1000": func(o *Options) { o.Draws = 2_000_000_000 },
		"samples: got 100001, want 1..100000": func(o *Options) { o.Samples = 100_001 },
	} {
		o := Defaults()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// With tree features that are cross-fitted in ten parts, eight images are too few: that point is left out and told, the others
// stand. With more parts than there are images nothing is left, and that is told, too.
func TestPointsOfTooFewImagesAreLeftOut(t *testing.T) {
	run := func(folds int) *Result {
		in, test, o := world()
		o.Model, o.Draws, o.Workers = lscrf.Trees, 2, 2
		in.Options.Trees.Trees = 3
		in.Options.TreeFeatures.Folds, in.Options.TreeFeatures.Trees = folds, 2
		r, err := Run(context.Background(), in, test, o, unseen)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := run(10)
	for i, want := range [][]int{{16, 24}, {16, 30}, {16, 32, 40}} {
		var got []int
		for _, p := range r.Curves[i].Points {
			got = append(got, p.Images)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got points %v, want %v", r.Curves[i].Tier, got, want)
		}
	}
	want := "curves: the point of 8 bbox images is left out: train.treeFeatures.folds: got 10 with 8 images of the tiers bbox (near duplicates are one), want 2 to 8"
	if len(r.Left) != 3 || r.Left[1] != want {
		t.Errorf("got %q, want three reasons, the second %q", r.Left, want)
	}
	if len(r.Exchange) != 4 || !r.Exchange[0].CI[0].OK || len(r.Leave) != 4 {
		t.Errorf("got %d exchange rates of 2 tiers and 2 points, %d leave-outs", len(r.Exchange), len(r.Leave))
	}
	r = run(900)
	if len(r.Curves) != 0 || len(r.Exchange) != 0 || len(r.Leave) != 0 || len(r.Left) != 3+3+4+1 || !strings.HasPrefix(r.Left[10], "leave one out: all of it") {
		t.Errorf("got %d curves, %d leave-outs and %q", len(r.Curves), len(r.Leave), r.Left)
	}
}

// memory keeps models of any number of goroutines.
type memory struct {
	mu    sync.Mutex
	saved map[string][]byte
	found int
}

func (m *memory) Load(key string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saved[key] != nil {
		m.found++
	}
	return m.saved[key]
}

func (m *memory) Save(key string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved[key] = data
}

// unseen is progress that nobody watches.
func unseen(string) func(done, total int) { return func(int, int) {} }

// A study that was interrupted finds its finished models again, and the result is that of an undisturbed one.
func TestStudyGoesOn(t *testing.T) {
	run := func(ctx context.Context, keep lscrf.Keeper, seen func(part string, done int)) (*Result, error) {
		in, test, o := world()
		o.Model, o.Draws, o.Workers = lscrf.Trees, 1, 2
		in.Kept = keep
		return Run(ctx, in, test, o, func(part string) func(done, _ int) {
			return func(done, _ int) { seen(part, done) }
		})
	}
	want, err := run(context.Background(), nil, func(string, int) {})
	if err != nil {
		t.Fatal(err)
	}
	keep := &memory{saved: map[string][]byte{}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = run(ctx, keep, func(part string, done int) {
		if part == "training models without one tier" && done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(keep.saved) == 0 || keep.found > 4 {
		t.Fatalf("interrupted: got %v, %d models, %d found", err, len(keep.saved), keep.found)
	}
	before := keep.found
	got, err := run(context.Background(), keep, func(string, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if n := keep.found - before; n < 3+3+4+2 { // every point of the curves, and two that leave a tier out
		t.Errorf("found %d trainings again", n)
	}
	want.Times, got.Times = nil, nil
	if text(t, got) != text(t, want) {
		t.Error("the result differs from that of an undisturbed study")
	}
}
