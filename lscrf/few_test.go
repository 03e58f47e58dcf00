package lscrf

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A setting that a mix has too few images for is named, with the images; the mix may be left out.
func TestTooFewImages(t *testing.T) {
	for name, c := range map[string]struct {
		images int
		set    func(o *TrainOptions)
		want   string
	}{
		"folds":        {12, func(o *TrainOptions) { o.TreeFeatures.Folds = 100 }, "train.treeFeatures.folds: got 100 with 12 images of the tiers manual (near duplicates are one), want 2 to 12"},
		"folds of one": {1, func(o *TrainOptions) { o.TreeFeatures.Folds = 2 }, "train.treeFeatures.folds: got 2 with 1 images of the tiers manual (near duplicates are one), want 0"},
		"choosing":     {2, func(o *TrainOptions) { o.ChooseFolds = 3 }, "train.chooseFolds: got 3 with 2 images"},
		"no image":     {12, func(o *TrainOptions) {}, "no image has a mask of the tiers bbox"},
	} {
		o := quick()
		c.set(&o)
		s := spec(Trees, Pairwise)
		if name == "no image" {
			s.Tiers = Mix{manifests.BBox}
		}
		_, err := trainer(lattice(c.images, 2, false, 1), o, 2, 1).Train(context.Background(), s, func(int, int) {})
		var few *FewError
		if !errors.As(err, &few) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want a FewError with %q", name, err, c.want)
		}
	}
}
