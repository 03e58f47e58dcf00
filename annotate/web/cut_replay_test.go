package web

import (
	"context"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
	"hdseg/transfer"
	"hdseg/transfer/pool"
)

// A replayed picture is one of a data set with its true mask.
type replayed struct {
	record *manifests.Record
	im     *raster.RGB
	truth  *raster.Mask
	dense  *feature.Array // with HDSEG_DENSE
}

func (r *replayed) self(id string) bool { return id == r.record.ID }

// TestCutReplay measures the cuts of the page on the pictures of a data set that has been built, HDSEG_SET, by masks that it
// does not have, HDSEG_TRUTH. No mask of a picture takes part in its cuts: they are learned from manual masks of others.
func TestCutReplay(t *testing.T) {
	set, dir := os.Getenv("HDSEG_SET"), os.Getenv("HDSEG_TRUTH")
	if set == "" || dir == "" {
		t.Skip("THE CUTS ARE NOT MEASURED: set HDSEG_SET to a manifest and HDSEG_TRUTH to a folder of true masks (minutes)")
	}
	store, err := manifests.OpenStore(filepath.Dir(set))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := manifests.Read(store, strings.TrimSuffix(filepath.Base(set), ".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var arrays *feature.Dense
	if dir := os.Getenv("HDSEG_DENSE"); dir != "" {
		if arrays, err = dense.Open(dir, ""); err != nil {
			t.Fatal(err)
		}
	}
	cutter, _, err := transfer.NewCutter(context.Background(), m, store, arrays, 2, nil)
	if err != nil || cutter == nil {
		t.Fatal("no cutter", err)
	}
	var boxed, test []*replayed
	for i := range m.Records {
		r := &replayed{record: &m.Records[i]}
		file := filepath.Join(dir, r.record.ID+".png")
		if _, err := os.Stat(file); r.record.Tier == manifests.BBox && err == nil {
			r.truth = readMask(t, file)
			boxed = append(boxed, r)
		} else if k, ok := r.record.MaskOf(manifests.Manual); ok && r.record.Split == manifests.Test && len(test) < 10 {
			if r.truth, err = load.Mask(store, r.record, k); err != nil {
				t.Fatal(err)
			}
			test = append(test, r)
		}
	}
	for _, r := range append(slices.Clone(boxed), test...) {
		if r.im, err = load.Image(store, r.record); err != nil {
			t.Fatal(err)
		}
		if r.dense, err = cutter.Array(r.record, r.im); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("tier", func(t *testing.T) {
		measure(t, "the bbox tier", boxed, func(r *replayed) *raster.Mask {
			k, _ := r.record.MaskOf(manifests.BBox)
			mask, err := load.Mask(store, r.record, k)
			if err != nil {
				t.Error(err)
				return raster.NewMask(r.im.Width, r.im.Height)
			}
			return mask
		})
	})
	t.Run("box", func(t *testing.T) {
		measure(t, "cut from its box", boxed, func(r *replayed) *raster.Mask {
			p := transfer.Pointing{Dense: r.dense}
			for _, b := range r.record.Boxes {
				p.Boxes = append(p.Boxes, image.Rect(b.XMin, b.YMin, b.XMax, b.YMax))
			}
			return cutter.Cut(r.im, p, r.self)
		})
	})
	t.Run("click", func(t *testing.T) {
		measure(t, "one click, boxes hidden", boxed, func(r *replayed) *raster.Mask {
			x, y, _ := r.truth.Deepest(raster.Figure)
			return cutter.Cut(r.im, transfer.Pointing{Clicks: []image.Point{{x, y}}, Dense: r.dense}, r.self)
		})
	})
	t.Run("greedy", func(t *testing.T) {
		actions := make([]int, len(test))
		each(test, func(i int, r *replayed) {
			var line string
			actions[i], line = greedy(cutter, r)
			t.Logf("%s: %d actions for IoU >= %.2f: %s", r.record.ID, actions[i], wantIoU, line)
		})
		slices.Sort(actions)
		t.Logf("greedy annotator: median %.1f actions, %v", float64(actions[4]+actions[5])/2, actions)
	})
}

// readMask reads a true mask: 0 ground, 255 figure, 128 void.
func readMask(t *testing.T, file string) *raster.Mask {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ix, err := format.DecodeIndexed(data, raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	m := raster.NewMask(ix.Width, ix.Height)
	for i, v := range ix.Pix {
		m.Pix[i] = map[uint8]uint8{0: raster.Ground, 255: raster.Figure}[v]
		if v != 0 && v != 255 {
			m.Pix[i] = raster.Void
		}
	}
	return m
}

// each calls f with every picture, two at a time.
func each(all []*replayed, f func(i int, r *replayed)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i, r := range all {
		slots <- struct{}{}
		wg.Go(func() { defer func() { <-slots }(); f(i, r) })
	}
	wg.Wait()
}

// measure logs the mean IoU of cuts with its 95% interval, by bootstrap over pictures.
func measure(t *testing.T, what string, all []*replayed, cut func(r *replayed) *raster.Mask) {
	ious := make([]metric.Value, len(all))
	each(all, func(i int, r *replayed) {
		truth, mask := slices.Clone(r.truth.Pix), cut(r)
		c := metric.NewConfusion(2)
		c.Add(truth, mask.Pix)
		ious[i] = c.IoU(1)
	})
	mean, n := metric.Mean(ious)
	in := metric.BootstrapMean(ious, metric.Times(1000), rand.New(rand.NewPCG(uint64(len(ious)), 1)))
	t.Logf("%s: %d pictures, mean IoU %.3f (%s-%s)", what, n, mean.V, in.Low.Format(3), in.High.Format(3))
}

// greedy takes, each time, the action of the page that raises the IoU most: after a first box around everything, a box around
// one object that is cut anew or added, a cell of any size that is painted, a click on the middle of what is most wrong, or a
// scribble or a brush of fitting size along it.
func greedy(cutter *transfer.Cutter, r *replayed) (actions int, line string) {
	box := []image.Rectangle{bounds(r.truth)}
	objects := cutObjects(cutter, r)
	cur := cutter.Cut(r.im, transfer.Pointing{Boxes: box, Dense: r.dense}, r.self)
	marks := open(r)
	maps := []*superpixel.Map{Cells(r.im, 0), Cells(r.im, 1), Cells(r.im, 2)}
	said := "box"
	for actions = 1; iouOf(r.truth, cur) < wantIoU && actions < most; actions++ {
		line += said + " " + metric.Of(iouOf(r.truth, cur)).Format(3) + ", "
		best := action{name: "cell"}
		best.mask, best.iou = bestCell(maps, r.truth, cur)
		for label := range uint8(2) {
			best.brush(r, cur, label)
			best.cut(cutter, r, transfer.Pointing{Boxes: box, Marks: marks, Was: cur, Dense: r.dense}, label)
		}
		for _, o := range objects {
			best.better(r, "add box", added(cur, o), marks)
			best.better(r, "cut box", o, open(r))
		}
		if best.mask == nil {
			return most, line + "stuck"
		}
		cur, said = best.mask, best.name
		if best.marks != nil {
			marks = best.marks
		}
	}
	return actions, line + said + " " + metric.Of(iouOf(r.truth, cur)).Format(3)
}

// cutObjects returns the cuts of the boxes around the objects of the true mask.
func cutObjects(cutter *transfer.Cutter, r *replayed) (out []*raster.Mask) {
	_, area, _ := r.truth.Areas()
	for _, b := range pool.Windows(r.truth, area/50) {
		out = append(out, cutter.Cut(r.im, transfer.Pointing{Boxes: []image.Rectangle{b}, Dense: r.dense}, r.self))
	}
	return out
}

// added returns a mask with the figure of a cut, as the page adds it (union in ops.js).
func added(cur, cut *raster.Mask) *raster.Mask {
	out := clone(cur)
	for i, v := range cut.Pix {
		if v == raster.Figure {
			out.Pix[i] = v
		}
	}
	return out
}

// An action is what raises the IoU most so far: what the mask is then, and the marks, if it makes some.
type action struct {
	name  string
	mask  *raster.Mask
	iou   float64
	marks *raster.Mask
}

func (a *action) better(r *replayed, name string, mask, marks *raster.Mask) {
	if v := iouOf(r.truth, mask); v > a.iou {
		*a = action{name, mask, v, marks}
	}
}

// wrongly returns where a mask lacks a label.
func wrongly(r *replayed, cur *raster.Mask, label uint8) *raster.Mask {
	wrong := raster.NewMask(cur.Width, cur.Height)
	for i, v := range r.truth.Pix {
		if v == label && cur.Pix[i] != label {
			wrong.Pix[i] = 1
		}
	}
	return wrong
}

// open returns marks that say nothing.
func open(r *replayed) *raster.Mask {
	m := raster.NewMask(r.im.Width, r.im.Height)
	for i := range m.Pix {
		m.Pix[i] = raster.Void
	}
	return m
}

func clone(m *raster.Mask) *raster.Mask {
	return &raster.Mask{Pix: slices.Clone(m.Pix), Width: m.Width, Height: m.Height}
}

// brush tries strokes of four sizes along what lacks a label.
func (a *action) brush(r *replayed, cur *raster.Mask, label uint8) {
	for _, k := range ways(wrongly(r, cur, label)) {
		sizes := slices.Sorted(slices.Values(k.depth))
		for quarter := range 4 {
			m := clone(cur)
			for _, p := range k.points {
				disc(m, p.X, p.Y, sizes[quarter*(len(sizes)-1)/3]-1, label)
			}
			a.better(r, []string{"erase", "brush"}[label], m, nil)
		}
	}
}

// cut tries a click on the middle of what most lacks a label, and a scribble along it.
func (a *action) cut(cutter *transfer.Cutter, r *replayed, p transfer.Pointing, label uint8) {
	wrong, before := wrongly(r, p.Was, label), p.Marks
	x, y, d := wrong.Deepest(1)
	if d == 0 {
		return
	}
	click := way{[]image.Point{{x, y}}, []int{d}}
	for i, k := range []way{click, ways(wrong)[0]} {
		p.Marks, p.Clicks = clone(before), nil
		for j, q := range k.points {
			disc(p.Marks, q.X, q.Y, min(3, k.depth[j]-1), label)
		}
		if label == raster.Figure && i == 0 {
			p.Clicks = click.points
		}
		name := [2][2]string{{"click away", "scribble ground"}, {"click", "scribble figure"}}[label][i]
		a.better(r, name, cutter.Cut(r.im, p, r.self), p.Marks)
	}
}

// bestCell paints the cell of any size and the label that raise the IoU most; nil if none does.
func bestCell(maps []*superpixel.Map, truth, cur *raster.Mask) (*raster.Mask, float64) {
	out := &raster.Mask{Pix: slices.Clone(cur.Pix), Width: cur.Width, Height: cur.Height}
	if paint, iou := greedyCell(maps, truth, out); paint != nil {
		paint()
		return out, iou
	}
	return nil, iouOf(truth, cur)
}

// A way leads through the middle of a part of a mask; depth says how deep its pixels lie there.
type way struct {
	points []image.Point
	depth  []int
}

// ways returns the longest ways through the three largest connected parts of a mask's figure.
func ways(wrong *raster.Mask) (out []way) {
	w, h := wrong.Width, wrong.Height
	d := depths(wrong)
	at := func(x, y int) int {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 0
		}
		return d[y*w+x]
	}
	// far walks from a pixel through its part, on cheap ways through the middle, and returns the pixel that most steps lead to.
	far := func(from int) (end, steps, size int, prev map[int]int) {
		prev = map[int]int{from: -1}
		n := map[int]int{from: 0}
		buckets := [][]int{{from}}
		cost := map[int]int{from: 0}
		done := map[int]bool{}
		for c := 0; c < len(buckets); c++ {
			for k := 0; k < len(buckets[c]); k++ {
				i := buckets[c][k]
				if done[i] {
					continue
				}
				done[i] = true
				if n[i] > steps {
					end, steps = i, n[i]
				}
				x, y := i%w, i/w
				for _, p := range [8]image.Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
					u, v := x+p.X, y+p.Y
					if at(u, v) == 0 {
						continue
					}
					j := v*w + u
					to := c + 1 + 24/(d[j]*d[j])
					if old, ok := cost[j]; !ok || to < old {
						cost[j], prev[j], n[j] = to, i, n[i]+1
						for len(buckets) <= to {
							buckets = append(buckets, nil)
						}
						buckets[to] = append(buckets[to], j)
					}
				}
			}
		}
		if steps == 0 {
			end = from
		}
		return end, steps, len(done), prev
	}
	type part struct{ size, start int }
	var parts []part
	seen := make([]bool, w*h)
	for i, v := range wrong.Pix {
		if v == 1 && !seen[i] {
			_, _, size, prev := far(i)
			for j := range prev {
				seen[j] = true
			}
			parts = append(parts, part{size, i})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.size - a.size })
	for _, p := range parts[:min(3, len(parts))] {
		a, _, _, _ := far(p.start)
		b, _, _, prev := far(a)
		var k way
		for i := b; i >= 0; i = prev[i] {
			k.points, k.depth = append(k.points, image.Pt(i%w, i/w)), append(k.depth, d[i])
		}
		out = append(out, k)
	}
	return out
}

// depths returns how far every figure pixel is, by rows and columns, from what is none.
func depths(m *raster.Mask) []int {
	w, h := m.Width, m.Height
	d := make([]int, w*h)
	at := func(x, y int) int {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 0
		}
		return d[y*w+x]
	}
	for i := range d {
		if x, y := i%w, i/w; m.Pix[i] == 1 {
			d[i] = 1 + min(at(x-1, y), at(x, y-1), at(x-1, y-1), at(x+1, y-1))
		}
	}
	for i := w*h - 1; i >= 0; i-- {
		if x, y := i%w, i/w; m.Pix[i] == 1 {
			d[i] = min(d[i], 1+min(at(x+1, y), at(x, y+1), at(x+1, y+1), at(x-1, y+1)))
		}
	}
	return d
}
