package transfer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/raster"
	"hdseg/transfer/pool"
)

// What each descriptor is worth: the mean IoU, over the objects of VOC pictures left out in turn, of the prior alone, at a half, in the
// object's box; and by how much it differs from HOG's on the same objects (95% by bootstrap). Each must say more than the box alone.
func TestRealDescriptors(t *testing.T) {
	for _, c := range realClasses {
		m, store, _ := realWorld(t, c, nil, nil)
		hog := map[string][]float64{} // of each object, by vote
		for _, descriptor := range []string{pool.DescriptorHOG, pool.DescriptorGIST, pool.DescriptorBoth} {
			o := Defaults()
			o.Pool.Descriptor = descriptor
			l := &learner{store: store, o: o, tier: manifests.BBox, workers: 2, tick: func() {}}
			p, good, err := l.gather(context.Background(), sourcesOf(m, manifests.BBox, o))
			if err != nil {
				t.Fatal(err)
			}
			ridge, err := p.Fit()
			if err != nil {
				t.Fatal(err)
			}
			ious := map[string][]float64{}
			var full []float64
			for _, s := range good {
				im, mask, err := s.load(store)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range sourceWindows(mask, manifests.BBox, o) {
					query := p.Describe(im, r)
					truth := mask.Crop(r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
					all := raster.NewMask(r.Dx(), r.Dy())
					for i := range all.Pix {
						all.Pix[i] = raster.Figure
					}
					full = append(full, iou(confusion(truth, all)))
					for vote, prior := range map[string]pool.Prior{pool.VoteRidge: ridge.Vote(query, s.isSource), pool.VoteNearest: p.Vote(p.Nearest(query, o.Pool.Neighbors, s.isSource)[0])} {
						soft := raster.ResizeField(prior.Soft, prior.Size, prior.Size, r.Dx(), r.Dy())
						hard := raster.NewMask(r.Dx(), r.Dy())
						for i, v := range soft {
							if v > 0.5 {
								hard.Pix[i] = raster.Figure
							}
						}
						ious[vote] = append(ious[vote], iou(confusion(truth, hard)))
					}
				}
			}
			box := meanOf(full)
			for _, vote := range []string{pool.VoteNearest, pool.VoteRidge} {
				if descriptor == pool.DescriptorHOG {
					hog[vote] = ious[vote]
				}
				var change []metric.Value
				for i, v := range ious[vote] {
					change = append(change, metric.Of(v-hog[vote][i]))
				}
				mean, _ := metric.Mean(change)
				in := metric.BootstrapMean(change, metric.Times(bootstrapSamples), rand.New(rand.NewPCG(1, 1)))
				fmt.Printf("%s, %s, %s: %d objects, mean IoU %.3f (box %.3f), against hog %+.4f [%s, %s]\n", c.name, vote, descriptor, len(change), meanOf(ious[vote]), box,
					mean.V, in.Low.Format(4), in.High.Format(4))
				if meanOf(ious[vote]) <= box {
					t.Errorf("%s, %s, %s: mean IoU %.3f, that of the box %.3f", c.name, vote, descriptor, meanOf(ious[vote]), box)
				}
			}
		}
	}
}

func meanOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}
