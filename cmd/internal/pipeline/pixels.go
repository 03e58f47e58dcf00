package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/arith"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
)

// A Cutout is what a model makes of a picture for its users.
type Cutout struct {
	Mask    *raster.Mask // label of every pixel
	Figure  []float64    // probability of figure per superpixel; nil for more than two labels
	Optimal bool         // no labeling of superpixels has less energy than the one Mask began with
}

// Cut returns what a model makes of a picture, its graph, its superpixels and its array, nil if the
// model sees none. Masks of figure and ground end at the picture's pixels (cut.Regions), those of
// more labels at superpixels.
func Cut(mod *lscrf.Model, g *lscrf.Graph, sp *superpixel.Map, img *raster.RGB, array *feature.Array) (*Cutout, error) {
	e, err := mod.Energy(g)
	if err != nil {
		return nil, err
	}
	best := lscrf.Minimize(e)
	c := &Cutout{Optimal: best.Status == mrf.Optimal}
	if len(mod.Labels) != 2 {
		c.Mask = superpixel.Paint(sp, best.Labels)
		return c, nil
	}
	c.Figure = mod.Figure(e)
	l := cut.Labeling{Map: sp, Figure: c.Figure, Labels: best.Labels}
	if array != nil {
		l.Cells = mod.CellOdds(array)
		for i, odds := range l.Cells.Pool(sp, feature.Whole) { // what the mask goes by
			c.Figure[i] = 1 / (1 + arith.Exp(-float64(odds)))
		}
	}
	c.Mask = cut.Regions(img, l)
	return c, nil
}

// MaskOf returns a function that makes the mask of Cut for a picture.
func MaskOf(mod *lscrf.Model) func(id string, img *raster.RGB) (*raster.Mask, error) {
	return func(id string, img *raster.RGB) (*raster.Mask, error) {
		g, sp, array, err := lscrf.NewGraph(id, img, mod.Setup)
		if err != nil {
			return nil, err
		}
		c, err := Cut(mod, g, sp, img, array)
		if err != nil {
			return nil, err
		}
		return c.Mask, nil
	}
}

// ScorePixels scores the masks of Cut on test pictures, the data set's. each is called with every
// mask, in the order of the pictures, and its error ends the measuring.
func ScorePixels(ctx context.Context, mod *lscrf.Model, set *Dataset, test []bench.Scored, workers int,
	each func(i int, mask *raster.Mask) error) (*bench.Score, error) {
	score := &bench.Score{Labels: len(mod.Labels)}
	records := testRecords(set.Manifest)
	type one struct {
		mask      *raster.Mask
		confusion *metric.Confusion
		boundary  metric.Value
	}
	err := manifests.Each(ctx, workers, len(test), func(_ context.Context, i int) (o one, err error) {
		t := &test[i]
		defer load.Hold(records[t.ID], raster.Segmenting)()
		img, err := load.Image(set.Store, records[t.ID])
		if err != nil {
			return o, err
		}
		// Arrays are too large to be kept with all test pictures.
		array, err := dense.Read(mod.Setup.Feature.Dense, t.ID, img)
		if err != nil {
			return o, err
		}
		c, err := Cut(mod, t.Graph, t.Map, img, array)
		if err == nil {
			o.mask = c.Mask
			o.confusion, o.boundary = t.ScorePixels(c.Mask.Pix, score.Labels)
		}
		return o, err
	}, func(i int, o one, err error) error {
		if err != nil {
			return err
		}
		score.Images, score.Boundary = append(score.Images, o.confusion), append(score.Boundary, o.boundary)
		return each(i, o.mask)
	})
	return score, err
}

// objectsFile is the file of a picture in a folder for Objects.
func objectsFile(folder, id string) string {
	return filepath.Join(folder, filepath.FromSlash(id)+".png")
}

// HaveObjects names the pictures that have no file in a folder for Objects.
func HaveObjects(folder string, ids []string) error {
	if st, err := os.Stat(folder); err != nil || !st.IsDir() {
		return fmt.Errorf("%s: no such folder", folder)
	}
	var missing []string
	for _, id := range ids {
		if _, err := os.Stat(objectsFile(folder, id)); err != nil {
			missing = append(missing, id+".png")
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: no such file for %d of %d pictures: %s", folder, len(missing), len(ids), format.Some(missing, 5))
}

// Objects returns the numbers of what the pixels of a picture with this mask show, from the file
// ID.png of a folder, whose values or colors are VOC's.
func Objects(folder, id string, mask *raster.Mask) ([]uint8, error) {
	name := objectsFile(folder, id)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	labels, err := format.DecodeIndexed(data, raster.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if labels.Width != mask.Width || labels.Height != mask.Height {
		return nil, fmt.Errorf("%s: got %d x %d pixels, want those of the picture, %d x %d", name, labels.Width, labels.Height,
			mask.Width, mask.Height)
	}
	return labels.Pix, nil
}

// OddObjects says why the masks of a folder for Objects seem to be others, "" if they do not. class
// is the figure's.
func OddObjects(folder, class string, table []bench.FalseFigure) string {
	var odd []string
	all := 0
	for _, f := range table {
		all += f.Pixels
	}
	for _, f := range table {
		if f.Object == class && f.Pixels > all/100 { // masks of the same object differ a little
			return fmt.Sprintf("--labels %s: %d pixels of %s lie where the test masks have ground: are these the labels of other pictures?",
				folder, f.Pixels, class)
		}
		if strings.HasPrefix(f.Object, "label ") {
			odd = append(odd, f.Object)
		}
	}
	switch {
	case len(odd) > 0:
		return fmt.Sprintf("--labels %s: got %s, want numbers of VOC classes: 0 to 20, and 255 for unknown", folder, format.Some(odd, 5))
	case len(table) == 1 && table[0].Object == ObjectName(0):
		return fmt.Sprintf("--labels %s: got no object but the figure, want masks with the numbers of all VOC classes", folder)
	}
	return ""
}

// ObjectName names a number of VOC's.
func ObjectName(number uint8) string {
	if number == 0 {
		return "nothing named"
	}
	return cmp.Or(ingest.VOCName(int(number)), fmt.Sprint("label ", number))
}
