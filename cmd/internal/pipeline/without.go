package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/study"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/transfer"
)

// withoutDir is where masks that were transferred without some sources are kept: a store of its own, so that none is taken
// for the data set's. It may be deleted at any time; until then the same study finds its masks again.
const withoutDir = ".work/without"

// TransferWithout transfers the masks of all images anew for every fold, with the manual images of the other folds as
// sources, and returns for each fold the labels that the masks give: what would have been known had the fold's images
// not existed. An image that gets no mask has no labels in that fold. Masks that no transfer made stay as they are. Costs as
// many transfers as there are folds.
func TransferWithout(ctx context.Context, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, setup lscrf.Setup, folds lscrf.Folds, workers int, progress func(stage string) func(done, total int)) ([]study.Relabeled, error) {
	aside, err := manifests.OpenStore(filepath.Join(store.Dir(), filepath.FromSlash(withoutDir)))
	if err != nil {
		return nil, err
	}
	if err := linkFiles(aside, store, m); err != nil {
		return nil, err
	}
	var made []*manifests.Manifest
	for f := range folds.Count() {
		stage := fmt.Sprintf("transfer without fold %d of %d", f+1, folds.Count())
		res, err := transfer.Run(ctx, unseen(m, folds, f), aside, e.Transfer, workers, progress(stage))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", stage, err)
		}
		made = append(made, res.Manifest)
	}
	return relabel(ctx, aside, made, setup, workers, progress("labels"))
}

// unseen returns m without the training images of a fold, without others that show the same pictures, and without transferred
// masks, whose sources these images were.
// The records of the test split stay, so that no training copy of one becomes a source.
func unseen(m *manifests.Manifest, folds lscrf.Folds, fold int) *manifests.Manifest {
	out := &manifests.Manifest{Header: m.Header}
	alike := lscrf.AlikeOf(m.Records)
	held := map[string]bool{}
	for id, f := range folds {
		held[alike.Of(id)] = held[alike.Of(id)] || f == fold
	}
	for _, r := range m.Records {
		if r.Split == manifests.Train && held[alike.Of(r.ID)] {
			continue
		}
		r.Masks = slices.DeleteFunc(slices.Clone(r.Masks), manifests.Mask.Transferred)
		out.Records = append(out.Records, r)
	}
	return out
}

// linkFiles makes the pictures and masks of the training split, but transferred ones, part of another store on the same
// disk, without copying where links can be had.
func linkFiles(to, from *manifests.Store, m *manifests.Manifest) error {
	link := func(path string, sum manifests.Digest) error {
		name, err := to.Path(path)
		if err != nil {
			return err
		}
		if _, err := os.Stat(name); err == nil {
			return nil
		}
		old, err := from.Path(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if os.Link(old, name) == nil {
			return nil
		}
		data, err := from.Read(path, sum)
		if err != nil {
			return err
		}
		return to.Replace(path, data)
	}
	for i := range m.Records {
		r := &m.Records[i]
		if r.Split != manifests.Train {
			continue
		}
		if err := link(r.Image.Path, r.Image.SHA256); err != nil {
			return err
		}
		for _, k := range r.Masks {
			if k.Transferred() {
				continue
			}
			if err := link(k.Path, k.SHA256); err != nil {
				return err
			}
		}
	}
	return nil
}

// relabel gives the superpixels of every image the labels of its transferred masks in each manifest.
func relabel(ctx context.Context, store *manifests.Store, made []*manifests.Manifest, setup lscrf.Setup, workers int, progress func(done, total int)) ([]study.Relabeled, error) {
	out := make([]study.Relabeled, len(made))
	var todo []string
	seen := map[string]bool{}
	records := make([]map[string]*manifests.Record, len(made))
	for f, m := range made {
		out[f] = study.Relabeled{}
		records[f] = map[string]*manifests.Record{}
		for i := range m.Records {
			r := &m.Records[i]
			if r.Split != manifests.Train || r.Tier != manifests.BBox && r.Tier != manifests.Label {
				continue
			}
			out[f][r.ID] = map[manifests.Tier][]uint8{r.Tier: nil} // no labels, if it has no mask now
			if _, ok := r.MaskOf(r.Tier); !ok {
				continue
			}
			records[f][r.ID] = r
			if !seen[r.ID] {
				seen[r.ID] = true
				todo = append(todo, r.ID)
			}
		}
	}
	type one struct {
		tier   manifests.Tier
		labels [][]uint8 // per manifest; nil where there is no mask
	}
	err := manifests.Each(ctx, workers, len(todo),
		func(_ context.Context, i int) (one, error) {
			o := one{labels: make([][]uint8, len(made))}
			var sp *superpixel.Map
			for f := range made {
				r := records[f][todo[i]]
				if r == nil {
					continue
				}
				if o.tier = r.Tier; sp == nil {
					img, err := load.Image(store, r)
					if err != nil {
						return o, err
					}
					sp = superpixel.Segment(img, setup.Superpixel)
				}
				mask, _ := r.MaskOf(r.Tier)
				px, err := load.Mask(store, r, mask)
				if err != nil {
					return o, err
				}
				o.labels[f] = superpixel.Majority(sp, px)
			}
			return o, nil
		},
		func(i int, o one, err error) error {
			progress(i+1, len(todo))
			for f := range made {
				if o.labels != nil && o.labels[f] != nil {
					out[f][todo[i]] = map[manifests.Tier][]uint8{o.tier: o.labels[f]}
				}
			}
			return err
		})
	return out, err
}
