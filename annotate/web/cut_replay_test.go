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

	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
	"hdseg/transfer"
)

// A replayed picture is one of a data set with its true mask.
type replayed struct {
	record *manifests.Record
	im     *raster.RGB
	truth  *raster.Mask
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
	cutter, _, err := transfer.NewCutter(context.Background(), m, store, 2, nil)
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
			var p transfer.Pointing
			for _, b := range r.record.Boxes {
				p.Boxes = append(p.Boxes, image.Rect(b.XMin, b.YMin, b.XMax, b.YMax))
			}
			return cutter.Cut(r.im, p, r.self)
		})
	})
	t.Run("click", func(t *testing.T) {
		measure(t, "one click, boxes hidden", boxed, func(r *replayed) *raster.Mask {
			x, y, _ := r.truth.Deepest(raster.Figure)
			return cutter.Cut(r.im, transfer.Pointing{Clicks: []image.Point{{x, y}}}, r.self)
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

// greedy takes, each time, the action of the page that raises the IoU most: after a first box, a cell of any size that is
// painted, or a click on the middle of what is most wrong.
func greedy(cutter *transfer.Cutter, r *replayed) (actions int, line string) {
	box := []image.Rectangle{bounds(r.truth)}
	cur := cutter.Cut(r.im, transfer.Pointing{Boxes: box}, r.self)
	marks := raster.NewMask(r.im.Width, r.im.Height)
	for i := range marks.Pix {
		marks.Pix[i] = raster.Void
	}
	maps := []*superpixel.Map{Cells(r.im, 0), Cells(r.im, 1), Cells(r.im, 2)}
	said := "box"
	for actions = 1; iouOf(r.truth, cur) < wantIoU && actions < most; actions++ {
		line += said + " " + metric.Of(iouOf(r.truth, cur)).Format(3) + ", "
		best, of := bestCell(maps, r.truth, cur)
		said = "cell"
		var with *raster.Mask
		for label := range uint8(2) { // clicks
			wrong := raster.NewMask(r.im.Width, r.im.Height)
			for i, v := range r.truth.Pix {
				if v == label && cur.Pix[i] != label {
					wrong.Pix[i] = 1
				}
			}
			x, y, d := wrong.Deepest(1)
			if d == 0 {
				continue
			}
			k := &raster.Mask{Pix: slices.Clone(marks.Pix), Width: marks.Width, Height: marks.Height}
			disc(k, x, y, min(3, d), label)
			p := transfer.Pointing{Boxes: box, Marks: k, Was: cur}
			if label == raster.Figure {
				p.Clicks = []image.Point{{x, y}}
			}
			if m := cutter.Cut(r.im, p, r.self); iouOf(r.truth, m) > of {
				best, of, with, said = m, iouOf(r.truth, m), k, []string{"click away", "click"}[label]
			}
		}
		if with != nil {
			marks = with
		}
		if best == nil {
			return most, line + "stuck"
		}
		cur = best
	}
	return actions, line + said + " " + metric.Of(iouOf(r.truth, cur)).Format(3)
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
