package transfer

import (
	"context"
	"image"
	"math/rand/v2"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/transfer/appearance"
	"hdseg/transfer/pool"
)

// NewCutter learns a cutter from the manual masks of a manifest's training records, or recalls it:
// it is kept in the store. Learning takes about as long as transfer does, a minute
// for 150 masks on two cores. Without masks to learn from the cutter is nil. Skips are sources that
// could not be read. dense are the arrays of a network, nil for none. progress is as for Run.
func NewCutter(ctx context.Context, m *manifests.Manifest, store *manifests.Store, dense *feature.Dense, workers int,
	progress Progress) (*Cutter, []manifests.Skip, error) {
	o := Defaults()
	o.Dense = dense
	return newCutter(ctx, m, store, o, workers, progress)
}

func newCutter(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o Options, workers int, progress Progress) (*Cutter,
	[]manifests.Skip, error) {
	o.Staged = false // masks that transfer made say nothing new here
	l := &learner{store: store, o: o, tier: manifests.Label, version: manifests.Version, workers: workers, cutter: true, phase: progress}
	if progress == nil {
		l.phase = func(string) func(done, total int) { return func(int, int) {} }
	}
	all := sourcesOf(m, manifests.Label, o)
	if len(all) == 0 {
		return nil, nil, nil
	}
	e, err := l.learn(ctx, all)
	if err != nil || e.pool.Len() == 0 {
		return nil, l.skips, err
	}
	return &Cutter{e}, l.skips, nil
}

// learnClicks learns the class model of pictures with a click.
func (l *learner) learnClicks(ctx context.Context, a *assembly) error {
	of := *l
	of.clicks = true
	t, err := of.train(ctx, a)
	if t != nil {
		a.expert.clicks = t.Model
	}
	return err
}

// clicksPerSource is how many clicks on a source's figure a model learns from: the one in its
// middle alone gives an IoU that is lower by 0.016; six, half of them mirrored, give no more.
const clicksPerSource = 4

// clicked describes a source's picture with clicks on its figure: on the pixel farthest from the
// border, where people click, and on others.
func (l *learner) clicked(a *assembly, i int, im picture, mask *raster.Mask) (out []*appearance.Sample) {
	s, r := a.good[i], image.Rect(0, 0, im.Width, im.Height)
	w := window(im, r, a.expert.ridge.Vote(pool.Describe(im.RGB, r), s.isSource))
	rnd := rand.New(rand.NewPCG(uint64(i), 1))
	for c := range min(max(1, l.o.ModelWindows/len(a.good)), clicksPerSource) {
		x, y, _ := mask.Deepest(raster.Figure)
		for again := c > 0; again; again = mask.At(x, y) != raster.Figure { // a source has some
			x, y = rnd.IntN(mask.Width), rnd.IntN(mask.Height)
		}
		w.Click = image.Pt(x, y)
		out = append(out, appearance.NewSample(w, mask, a.group[s.group()], l.o.ofClicks()))
	}
	return out
}
