package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/transfer"
)

// sizes are the numbers of masks at which the orders are measured; the last one is all.
var sizes = []int{0, 4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 1 << 30}

// afterMasks is how many masks are accepted before the queue is ordered anew, and parts how many folds hold pictures out.
const (
	afterMasks = 4
	parts      = 5
)

// orders by which pictures are touched, each with what a queue knows of an open picture: the lowest first.
var orders = []string{"disagreement", "8 by chance, then disagreement", "predicted IoU", "chance"}

// A touched picture of the manual tier, with the proposal that transfer makes of it by other pictures' masks.
type touched struct {
	graph    *lscrf.Graph
	truth    []uint8
	proposal []uint8
	quality  float64
	pixels   [][2]int64 // per superpixel: true ground and figure
}

// TestLearnOrder measures how many pictures of the manual tier of a data set, HDSEG_SET, a person must touch until a model is as good as
// that of all, in three orders. Each seed deals the pictures to five folds anew: those of one are held out, the others are touched in
// turn. Proposals are transfer's, of the four fifths of the pictures that a fold of their own leaves.
func TestLearnOrder(t *testing.T) {
	set := os.Getenv("HDSEG_SET")
	if set == "" {
		t.Skip("THE ORDERS ARE NOT MEASURED: set HDSEG_SET to a manifest that was built (half an hour)")
	}
	seeds := 4
	if n, err := strconv.Atoi(os.Getenv("HDSEG_SEEDS")); err == nil {
		seeds = n
	}
	pictures := touchable(t, set)
	t.Logf("%d pictures, %d seeds; proposals have a mean IoU of %.3f on superpixels, which predicted IoU ranks by %.2f", len(pictures), seeds,
		meanIoU(pictures), ranked(pictures))
	var jobs []job
	for seed := range seeds {
		ids := []string{}
		for _, p := range pictures {
			ids = append(ids, p.graph.ID)
		}
		folds := lscrf.DealFolds(ids, parts, uint64(seed))
		for f := range parts {
			jobs = append(jobs, job{seed, f, folds})
		}
	}
	// counts[scenario][order][size][picture] of all seeds
	counts := map[string]map[string]map[int][]*metric.Confusion{}
	for _, s := range scenarios {
		counts[s] = map[string]map[int][]*metric.Confusion{}
		for _, o := range orders {
			counts[s][o] = map[int][]*metric.Confusion{}
			for k := range sizes {
				counts[s][o][k] = make([]*metric.Confusion, len(pictures)*seeds)
			}
		}
	}
	worth := map[string][][]float64{} // by order and size: of every picture, the sum of its masks' IoU, and how often it was there
	for _, o := range orders {
		worth[o] = make([][]float64, len(sizes))
		for k := range sizes {
			worth[o][k] = make([]float64, len(pictures))
		}
	}
	var mu sync.Mutex
	err := manifests.Each(context.Background(), 2, len(jobs), func(_ context.Context, i int) (struct{}, error) {
		return struct{}{}, jobs[i].run(pictures, func(scenario, order string, size, picture int, c *metric.Confusion) {
			mu.Lock()
			defer mu.Unlock()
			counts[scenario][order][size][jobs[i].seed*len(pictures)+picture] = c
		}, func(order string, size, picture int, iou float64) {
			mu.Lock()
			defer mu.Unlock()
			worth[order][size][picture] += iou / float64(seeds*(parts-1))
		})
	}, func(_ int, _ struct{}, err error) error { return err })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		tell(t, s, counts[s], len(pictures), seeds)
	}
	tellMasks(t, worth)
}

// touchable reads the pictures of the manual tier, and lets transfer make proposals of them.
func touchable(t *testing.T, set string) []*touched {
	t.Helper()
	from, m, _, err := manifests.ReadFile(set)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // transfer keeps what it makes
	for _, sub := range []string{"images", "masks/manual"} {
		if err := os.CopyFS(filepath.Join(dir, sub), os.DirFS(filepath.Join(from.Dir(), sub))); err != nil {
			t.Fatal(err)
		}
	}
	store, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	manual := &manifests.Manifest{Header: m.Header}
	for _, r := range m.Records {
		if k, ok := r.MaskOf(manifests.Manual); ok && r.Split == manifests.Train {
			r.Masks = []manifests.Mask{k}
			manual.Records = append(manual.Records, r)
		}
	}
	var ids []string
	for _, r := range manual.Records {
		ids = append(ids, r.ID)
	}
	folds := lscrf.DealFolds(ids, parts, 1000)
	proposals := map[string]manifests.Mask{}
	for f := range parts {
		part := &manifests.Manifest{Header: manual.Header, Records: slices.Clone(manual.Records)}
		for i := range part.Records {
			if r := &part.Records[i]; folds[r.ID] == f {
				r.Masks, r.Tier = nil, manifests.Label
				if len(r.Boxes) > 0 {
					r.Tier = manifests.BBox
				}
			}
		}
		res, err := transfer.Run(context.Background(), part, store, transfer.Defaults(), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range res.Manifest.Records {
			if k, ok := r.MaskOf(r.Tier); ok && folds[r.ID] == f {
				proposals[r.ID] = k
			}
		}
	}
	setup := lscrf.Setup{Superpixel: superpixel.Defaults(), Feature: feature.Defaults()}
	var out []*touched
	for i := range manual.Records {
		r := &manual.Records[i]
		k, ok := proposals[r.ID]
		if !ok {
			t.Logf("%s has no proposal and is left out", r.ID)
			continue
		}
		im, err := load.Image(store, r)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := load.Mask(store, r, r.Masks[0])
		if err != nil {
			t.Fatal(err)
		}
		mask, err := load.Mask(store, r, k)
		if err != nil {
			t.Fatal(err)
		}
		g, sp, _, err := lscrf.NewGraph(r.ID, im, setup)
		if err != nil {
			t.Fatal(err)
		}
		p := &touched{graph: g, truth: superpixel.Majority(sp, truth), proposal: superpixel.Majority(sp, mask), quality: k.Quality,
			pixels: make([][2]int64, g.N)}
		for px, v := range truth.Pix {
			if v < 2 {
				p.pixels[sp.Labels[px]][v]++
			}
		}
		out = append(out, p)
	}
	return out
}

// meanIoU is that of the proposals, on superpixels.
func meanIoU(pictures []*touched) float64 {
	sum := 0.0
	for _, p := range pictures {
		sum += 1 - Differs(p.graph, p.truth, p.proposal)
	}
	return sum / float64(len(pictures))
}

// ranked is Spearman's coefficient of predicted and true IoU.
func ranked(pictures []*touched) float64 {
	rank := func(by func(p *touched) float64) []float64 {
		order := make([]int, len(pictures))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by(pictures[a]), by(pictures[b])) })
		out := make([]float64, len(order))
		for r, i := range order {
			out[i] = float64(r) - float64(len(order)-1)/2
		}
		return out
	}
	a, b := rank(func(p *touched) float64 { return p.quality }), rank(func(p *touched) float64 { return -Differs(p.graph, p.truth, p.proposal) })
	ab, aa := 0.0, 0.0
	for i := range a {
		ab, aa = ab+a[i]*b[i], aa+a[i]*a[i]
	}
	return ab / aa
}

// The scenarios: what a model is trained on.
var scenarios = []string{"masks that were touched", "these, and the proposals of the others"}

// A job is one held-out fold of one seed.
type job struct {
	seed, fold int
	folds      lscrf.Folds
}

func newRunning() *lscrf.Running {
	about := lscrf.Model{Labels: lscrf.FigureGround(), Setup: lscrf.Setup{Superpixel: superpixel.Defaults(), Feature: feature.Defaults()}}
	about.Dim = about.Setup.Dim()
	return lscrf.NewRunning(about, lscrf.TrainDefaults())
}

// run touches the pictures of a job in every order and tells the confusion of every held-out picture at every size.
func (j job) run(pictures []*touched, tell func(scenario, order string, size, picture int, c *metric.Confusion),
	masks func(order string, size, picture int, iou float64)) error {
	var pool []*touched
	var held []int
	number := map[*touched]int{}
	for i, p := range pictures {
		if j.folds[p.graph.ID] == j.fold {
			held = append(held, i)
		} else {
			pool, number[p] = append(pool, p), i
		}
	}
	for _, order := range orders {
		rng := rand.New(rand.NewPCG(uint64(j.seed), uint64(j.fold)))
		open := slices.Clone(pool)
		rng.Shuffle(len(open), func(a, b int) { open[a], open[b] = open[b], open[a] }) // ties, and chance
		models := []*lscrf.Running{newRunning(), newRunning()}
		for _, p := range pool {
			if err := models[1].Add(p.graph, p.proposal); err != nil {
				return err
			}
		}
		if order == "disagreement" || order == "predicted IoU" { // without a model the queue goes by predicted IoU
			slices.SortStableFunc(open, func(a, b *touched) int { return cmp.Compare(a.quality, b.quality) })
		}
		n := 0
		for k, size := range sizes {
			for ; n < min(size, len(pool)); n++ {
				if (order == "disagreement" && n > 0 || order == orders[1] && n >= 8) && n%afterMasks == 0 {
					if err := byDisagreement(models[0].Model(), open); err != nil {
						return err
					}
				}
				p := open[0]
				open = open[1:]
				if err := models[0].Add(p.graph, p.truth); err != nil {
					return err
				}
				if err := models[1].Remove(p.graph, p.proposal); err != nil {
					return err
				}
				if err := models[1].Add(p.graph, p.truth); err != nil {
					return err
				}
			}
			untouched := map[*touched]bool{}
			for _, p := range open {
				untouched[p] = true
			}
			for _, p := range pool {
				iou := 1.0
				if untouched[p] {
					iou = 1 - Differs(p.graph, p.truth, p.proposal)
				}
				masks(order, k, number[p], iou)
			}
			for s, scenario := range scenarios {
				if models[s].Images() == 0 {
					continue
				}
				if err := score(models[s].Model(), pictures, held, func(i int, c *metric.Confusion) { tell(scenario, order, k, i, c) }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// byDisagreement sorts open pictures as the queue does.
func byDisagreement(m *lscrf.Model, open []*touched) error {
	by := map[*touched]float64{}
	for _, p := range open {
		got, err := m.Predict(p.graph)
		if err != nil {
			return err
		}
		by[p] = Differs(p.graph, got.Labels, p.proposal)
	}
	slices.SortStableFunc(open, func(a, b *touched) int { return cmp.Compare(by[b], by[a]) })
	return nil
}

func score(m *lscrf.Model, pictures []*touched, held []int, tell func(i int, c *metric.Confusion)) error {
	for _, i := range held {
		p := pictures[i]
		got, err := m.Predict(p.graph)
		if err != nil {
			return err
		}
		c := metric.NewConfusion(2)
		for sp, n := range p.pixels {
			y := int(got.Labels[sp])
			c.N[y] += n[0]
			c.N[3+y] += n[1]
		}
		tell(i, c)
	}
	return nil
}

// near is how far, in points, an accuracy may lie under that of all pictures and still reach it.
const near = 0.5

// tell logs the curves of a scenario, and at how many pictures each reaches the accuracy of all, with 95% intervals by bootstrap over
// pictures and seeds.
func tell(t *testing.T, scenario string, counts map[string]map[int][]*metric.Confusion, pictures, seeds int) {
	most := pictures - pictures/parts
	at := func(k int) int { return min(sizes[k], most) }
	curve := func(order string, pick, drawn []int) []float64 {
		out := make([]float64, len(sizes))
		for k := range sizes {
			sum := 0.0
			for _, s := range drawn {
				c := metric.NewConfusion(2)
				for _, i := range pick {
					if one := counts[order][k][s*pictures+i]; one != nil {
						c.Merge(one)
					}
				}
				sum += 100 * metric.PerClassAccuracy(c).V
			}
			out[k] = sum / float64(len(drawn))
		}
		return out
	}
	reach := func(c []float64) float64 {
		want := c[len(c)-1] - near
		for k := range c {
			if c[k] < want {
				continue
			}
			if k == 0 || c[k-1] == 0 {
				return float64(at(k))
			}
			f := (want - c[k-1]) / (c[k] - c[k-1])
			return float64(at(k-1)) + f*float64(at(k)-at(k-1))
		}
		return math.NaN()
	}
	every := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	rng := rand.New(rand.NewPCG(1, 1))
	drawn := map[string][][]float64{}
	for range 1000 {
		pick, some := make([]int, pictures), make([]int, seeds)
		for i := range pick {
			pick[i] = rng.IntN(pictures)
		}
		for i := range some {
			some[i] = rng.IntN(seeds)
		}
		for _, o := range orders {
			drawn[o] = append(drawn[o], curve(o, pick, some))
		}
	}
	interval := func(f func(i int) float64) string {
		var v []float64
		for i := range 1000 {
			v = append(v, f(i))
		}
		slices.Sort(v)
		return fmt.Sprintf("(%.1f to %.1f)", v[25], v[974])
	}
	var b strings.Builder
	fmt.Fprintf(&b, "trained on %s:\n%-32s", scenario, "pictures")
	for k := range sizes {
		fmt.Fprintf(&b, "%6d", at(k))
	}
	full := map[string][]float64{}
	for _, o := range orders {
		full[o] = curve(o, every(pictures), every(seeds))
		fmt.Fprintf(&b, "\n%-32s", o)
		for _, v := range full[o] {
			fmt.Fprintf(&b, "%6.1f", v)
		}
	}
	for _, o := range orders {
		fmt.Fprintf(&b, "\n%s: within %.1f points of all after %.1f pictures %s", o, near, reach(full[o]),
			interval(func(i int) float64 { return reach(drawn[o][i]) }))
	}
	for _, than := range orders[2:] {
		for _, o := range orders[:2] {
			for _, k := range []int{2, 4, 5, 6, 7, 8} {
				fmt.Fprintf(&b, "\n%s minus %s at %d: %+.2f %s", o, than, at(k), full[o][k]-full[than][k],
					interval(func(i int) float64 { return drawn[o][i][k] - drawn[than][i][k] }))
			}
		}
	}
	t.Log(b.String())
}

// tellMasks logs the mean IoU of all masks, touched or not, in every order, and how far the others are from chance, with 95% intervals by
// bootstrap over pictures.
func tellMasks(t *testing.T, worth map[string][][]float64) {
	var b strings.Builder
	fmt.Fprintf(&b, "mean IoU of all masks, those that were touched as 1:\n%-32s", "pictures")
	for _, n := range sizes {
		fmt.Fprintf(&b, "%6d", min(n, len(worth["chance"][0])-len(worth["chance"][0])/parts))
	}
	for _, o := range orders {
		fmt.Fprintf(&b, "\n%-32s", o)
		for k := range sizes {
			v, _ := metric.Mean(values(worth[o][k]))
			fmt.Fprintf(&b, "%6.3f", v.V)
		}
	}
	for _, than := range orders[2:] {
		for _, o := range orders[:3] {
			for _, k := range []int{4, 6, 8} {
				if o == than {
					continue
				}
				d := make([]float64, len(worth[o][k]))
				for i := range d {
					d[i] = worth[o][k][i] - worth[than][k][i]
				}
				v, _ := metric.Mean(values(d))
				ci := metric.BootstrapMean(values(d), metric.Times(1000), rand.New(rand.NewPCG(1, 1)))
				fmt.Fprintf(&b, "\n%s minus %s at %d: %+.3f (%.3f to %.3f)", o, than, sizes[k], v.V, ci.Low.V, ci.High.V)
			}
		}
	}
	t.Log(b.String())
}

func values(v []float64) (out []metric.Value) {
	for _, x := range v {
		out = append(out, metric.Of(x))
	}
	return out
}
