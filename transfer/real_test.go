package transfer

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// realWorld is a store with the VOC masks of a class and pictures of the tier that tierOf gives picture i, and a folder of these
// pictures' masks.
func realWorld(t *testing.T, c realClass, targets []realSample, tierOf func(i int) manifests.Tier) (m *manifests.Manifest, store *manifests.Store, truth string) {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	truth = t.TempDir()
	m = &manifests.Manifest{Header: manifests.Header{Class: manifests.Class{Name: c.name}}}
	add := func(s realSample, tier manifests.Tier) {
		r := manifests.Record{ID: s.id, Split: manifests.Train, Tier: tier, Image: manifests.Image{Width: s.im.Width, Height: s.im.Height, Orientation: 1}}
		var err error
		if r.Image.Path, r.Image.SHA256, err = store.Put("images", s.id, "png", raster.EncodePNG(s.im)); err != nil {
			t.Fatal(err)
		}
		switch tier {
		case manifests.Manual:
			ref := manifests.Mask{Tier: tier}
			if ref.Path, ref.SHA256, err = store.Put("masks/manual", s.id, "png", raster.EncodeMaskPNG(s.mask)); err != nil {
				t.Fatal(err)
			}
			r.Masks = []manifests.Mask{ref}
		case manifests.BBox:
			for _, b := range s.boxes {
				r.Boxes = append(r.Boxes, manifests.Box{XMin: b.Min.X, YMin: b.Min.Y, XMax: b.Max.X, YMax: b.Max.Y})
			}
		}
		m.Records = append(m.Records, r)
	}
	for _, s := range loadManual(t, dataDir(t), c) {
		add(s, manifests.Manual)
	}
	for i, s := range targets {
		add(s, tierOf(i))
		writeTruth(t, filepath.Join(truth, s.id+".png"), s.mask)
	}
	return m, store, truth
}

// realScores compares a result's masks of a tier with the true ones and prints the row.
func realScores(t *testing.T, what string, res *Result, store *manifests.Store, truth string, tier manifests.Tier) (Row, []Score) {
	t.Helper()
	rep, err := Evaluate(res.Manifest, store, truth, 0, res.CPUms)
	if err != nil {
		t.Fatal(err)
	}
	scores := slices.DeleteFunc(rep.Scores, func(s Score) bool { return s.Tier != tier })
	if len(scores) == 0 {
		t.Fatalf("%s: no masks of tier %s", what, tier)
	}
	return printRow(what, tier, scores), scores
}

func printRow(what string, tier manifests.Tier, scores []Score) Row {
	row := newRow(what, tier, "", scores)
	fmt.Printf("%s %s: %d images, mean IoU %.3f (%s-%s), pooled %.3f, per class %.1f%%, boundary F %s, %s ms, rank %s, best 80%% %s (%+.4f of at most %+.4f)\n", what, tier, row.Images, row.IoUMean,
		row.IoUInterval.Low.Format(3), row.IoUInterval.High.Format(3), row.IoUPooled, row.PerClassMean, row.BoundaryF.Format(3), row.CPUms.Format(0), row.Rank.Format(3), row.IoUBest80.Format(3),
		row.IoUBest80.V-row.IoUMean, row.IoUTrue80.V-row.IoUMean)
	return row
}

// realReport transfers the VOC masks of a class to pictures, in their boxes or without them (tier label), and compares with the
// pictures' masks.
func realReport(t *testing.T, c realClass, targets []realSample, tier manifests.Tier) (Row, []Score) {
	t.Helper()
	m, store, truth := realWorld(t, c, targets, func(int) manifests.Tier { return tier })
	res, err := Run(context.Background(), m, store, Defaults(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return realScores(t, c.name, res, store, truth, tier)
}

// The figures to beat are OpenCV GrabCut's from the same boxes (0.653 and 0.764), with a margin. What the worst fifth costs is asked of the tier,
// over both classes: of the dogs alone the truly worst fifth costs 0.044 only.
func TestRealBoxed(t *testing.T) {
	var all []Score
	for i, want := range []float64{0.73, 0.80} {
		c := realClasses[i]
		row, scores := realReport(t, c, loadBoxed(t, dataDir(t), c), manifests.BBox)
		all = append(all, scores...)
		if row.IoUMean < want {
			t.Errorf("%s: mean IoU %.3f, want %.2f", c.name, row.IoUMean, want)
		}
		if row.Rank.V < 0.6 {
			t.Errorf("%s: rank correlation %s, want 0.6", c.name, row.Rank.Format(3))
		}
	}
	gains(t, manifests.BBox, all)
}

// gains prints the row of a tier over both classes and wants its mean IoU without the fifth of lowest predicted IoU to be 0.03 higher.
func gains(t *testing.T, tier manifests.Tier, all []Score) {
	t.Helper()
	row := printRow("both", tier, all)
	if row.Rank.V < 0.6 || row.IoUBest80.V < row.IoUMean+0.03 {
		t.Errorf("both, %s: rank correlation %s and best 80%% %s, want 0.6 and %.3f", tier, row.Rank.Format(3), row.IoUBest80.Format(3), row.IoUMean+0.03)
	}
}

// GrabCut from a centered window of half the picture gets 0.415 and 0.506.
func TestRealUnconstrained(t *testing.T) {
	var all []Score
	for i, want := range []float64{0.515, 0.606} {
		c := realClasses[i]
		row, scores := realReport(t, c, loadBoxed(t, dataDir(t), c), manifests.Label)
		all = append(all, scores...)
		if row.IoUMean < want {
			t.Errorf("%s: mean IoU %.3f, want %.3f", c.name, row.IoUMean, want)
		}
		if row.Rank.V < 0.6 {
			t.Errorf("%s: rank correlation %s, want 0.6", c.name, row.Rank.Format(3))
		}
	}
	gains(t, manifests.Label, all)
}

// Every other box image keeps its boxes; the rest are of the label tier, without and with the good masks of the first as sources. These are
// not shown to do harm, which is where the paired interval over both classes' images leaves 0 out.
func TestRealStaged(t *testing.T) {
	var change []metric.Value
	for _, c := range realClasses {
		m, store, truth := realWorld(t, c, loadBoxed(t, dataDir(t), c), func(i int) manifests.Tier {
			return []manifests.Tier{manifests.BBox, manifests.Label}[i%2]
		})
		boxed, err := RunPart(context.Background(), m, store, Defaults(), Part{Round: manifests.BBox}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		var scores [2][]Score
		for k, staged := range []bool{false, true} {
			o := Defaults()
			o.Staged = staged
			res, err := RunPart(context.Background(), boxed.Manifest, store, o, Part{Round: manifests.Label}, 2, nil)
			if err != nil {
				t.Fatal(err)
			}
			n := len(sourcesOf(boxed.Manifest, manifests.Label, o))
			_, scores[k] = realScores(t, fmt.Sprintf("%s, %d sources", c.name, n), res, store, truth, manifests.Label)
		}
		for i, s := range scores[1] {
			change = append(change, metric.Of(s.IoU-scores[0][i].IoU))
		}
	}
	mean, _ := metric.Mean(change)
	in := metric.BootstrapMean(change, metric.Times(bootstrapSamples), rand.New(rand.NewPCG(1, 1)))
	fmt.Printf("staged sources, both classes: %d images, mean IoU %+.3f [%s, %s]\n", len(change), mean.V, in.Low.Format(3), in.High.Format(3))
	if in.High.V < 0 {
		t.Errorf("staged sources change the mean IoU by %.3f [%s, %s]", mean.V, in.Low.Format(3), in.High.Format(3))
	}
}

// The Weizmann horses in the boxes of their masks, from VOC masks only.
func TestRealWeizmann(t *testing.T) {
	dir := filepath.Join(dataDir(t), "weizmann")
	files, err := filepath.Glob(filepath.Join(dir, "images/*.jpg"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pictures in %s: %v", dir, err)
	}
	var all []realSample
	for _, f := range files {
		s := realSample{id: strings.TrimSuffix(filepath.Base(f), ".jpg")}
		data, err := os.ReadFile(f)
		s.im = decodeFile(t, data, err)
		if s.mask, err = readTruth(filepath.Join(dir, "masks", s.id+".png")); err != nil {
			t.Fatal(err)
		}
		var box image.Rectangle
		for i, v := range s.mask.Pix {
			if v == raster.Figure {
				x, y := i%s.mask.Width, i/s.mask.Width
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
		s.boxes = []image.Rectangle{box}
		all = append(all, s)
	}
	if row, _ := realReport(t, realClasses[0], all, manifests.BBox); row.IoUMean < 0.80 {
		t.Errorf("mean IoU %.3f, want 0.80", row.IoUMean)
	}
}
