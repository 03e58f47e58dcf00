package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// listStanford lists the pictures of a Stanford Background tree (iccv09Data) as manual records
// whose figure is one label, Options.Region; pictures without it are of another class. For all
// labels at once see Scenes.
func (l *lister) listStanford(root string) error {
	tree, err := l.stanfordTree(root)
	if err != nil {
		return err
	}
	for _, id := range tree.order {
		t := task{id: safeID(id), source: "stanford", split: manifests.Train, image: tree.images[id]}
		labels, ok := tree.labelsOf(id)
		if !ok {
			l.drop(t.id, "missing_mask", tree.images[id].origin+" has no file labels/"+id+".regions.txt")
			continue
		}
		t.layers = func(opts *Options) ([]layer, error) {
			m, digest, err := readMask(&labels, opts.Limits, decodeRegions)
			if err != nil || !m.Has(uint8(opts.Region)) {
				return nil, err
			}
			return []layer{{
				mask: m.Figure(uint8(opts.Region)), origin: labels.origin, tier: manifests.Manual,
				by: "Stanford Background annotators", used: []manifests.Digest{digest},
			}}, nil
		}
		l.tasks = append(l.tasks, &t)
	}
	return nil
}

// A stanfordTree is what a walk over iccv09Data finds, by picture.
type stanfordTree struct {
	order  []string
	images map[string]entry
	labels map[string]entry // by the folder that holds labels, and picture
}

// labelsOf finds the labels of a picture: in the folder labels beside the picture's.
func (t *stanfordTree) labelsOf(id string) (entry, bool) {
	e, ok := t.labels[t.labelKey(id)]
	return e, ok
}

func (t *stanfordTree) labelKey(id string) string {
	return path.Join(path.Dir(path.Dir(t.images[id].name)), id)
}

// regionsSuffix ends the names of label files, in any case.
const regionsSuffix = ".regions.txt"

func (l *lister) stanfordTree(root string) (*stanfordTree, error) {
	t := &stanfordTree{images: map[string]entry{}, labels: map[string]entry{}}
	isImage := func(p string) bool { return path.Base(path.Dir(p)) == "images" }
	err := l.walk(root, isImage, func(e entry) error {
		dir, base := path.Split(e.name)
		switch kind := path.Base(dir); {
		case strings.EqualFold(base, "horizons.txt"): // part of the set, and needed for nothing here
		case kind == "images" && (pictureName(base) || l.stray(e, safeID(stem(base)))):
			id := stem(base)
			if old, ok := t.images[id]; ok {
				l.drop(safeID(id), "duplicate_id", e.origin+": "+old.origin+" has this id and is kept")
				return nil
			}
			t.images[id] = e
			t.order = append(t.order, id)
		case kind == "labels" && strings.HasSuffix(strings.ToLower(base), regionsSuffix):
			key := path.Join(path.Dir(path.Clean(dir)), base[:len(base)-len(regionsSuffix)])
			if old, ok := t.labels[key]; ok {
				l.lost(safeID(path.Base(key)), "duplicate_id", e.origin+": "+old.origin+" has this name and is kept")
				return nil
			}
			t.labels[key] = e
		case kind == "images": // stray said it
		default:
			l.aside("other_file", e.origin)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(t.order) == 0 {
		return nil, l.errNothing("pictures in a folder images", "images/ with the pictures and labels/ with NAME.regions.txt", root, "images")
	}
	left := maps.Clone(t.labels)
	for _, id := range t.order {
		delete(left, t.labelKey(id))
	}
	for key, e := range left {
		l.lost(safeID(path.Base(key)), "mask_without_image", e.origin+": the folder images beside labels has no picture of this name")
	}
	return t, nil
}

func decodeRegions(data []byte, lim raster.Limits) (*format.Indexed, error) {
	lines, err := format.PlainText(data)
	if err != nil {
		return nil, err
	}
	return format.ParseRegions(lines, lim)
}

// A Scene is a picture of which every pixel has one of several labels.
type Scene struct {
	ID     string
	Image  *raster.RGB
	Labels *format.Indexed // of the image's size; format.VOCVoid where unknown
}

// Scenes hands the pictures of a Stanford Background tree to visit, sorted by ID, one at a time. It
// returns those that cannot be used as skips, with the reasons of Run. Memory holds a few pictures
// for each worker. An error of visit ends the walk and is returned.
func Scenes(ctx context.Context, root string, opts Options, workers int, visit func(Scene) error) ([]manifests.Skip, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	l := &lister{ctx: ctx, opts: opts, from: "--scenes " + root, Result: Result{Other: map[string]int{}, Warnings: map[string]int{}}}
	defer l.close()
	tree, err := l.stanfordTree(root)
	if err != nil {
		return nil, err
	}
	slices.Sort(tree.order)
	skips := l.skips
	err = manifests.Each(ctx, workers, len(tree.order),
		func(_ context.Context, i int) (Scene, error) { return tree.scene(tree.order[i], opts.Limits) },
		func(i int, s Scene, err error) error {
			var f *layerFault
			if errors.As(err, &f) {
				skips = append(skips, manifests.Skip{Record: safeID(tree.order[i]), Reason: f.reason, Detail: f.Error()})
				return nil
			}
			if err != nil {
				return err
			}
			return visit(s)
		})
	sortSkips(skips)
	return skips, err
}

// scene reads a picture with its labels; why it cannot be used is a *layerFault.
func (t *stanfordTree) scene(id string, lim raster.Limits) (Scene, error) {
	var hold raster.Hold
	defer hold.Release()
	lim = lim.Within(&hold)
	image := t.images[id]
	labels, ok := t.labelsOf(id)
	if !ok {
		return Scene{}, &layerFault{"missing_mask", image.origin, fmt.Errorf("there is no labels/%s.regions.txt", id)}
	}
	_, img, _, fault := image.picture(lim)
	if fault != nil {
		return Scene{}, fault
	}
	m, _, err := readMask(&labels, lim, decodeRegions)
	if err != nil {
		return Scene{}, &layerFault{limitReason(err, "corrupt_mask"), image.origin, err}
	}
	if m.Width != img.Width || m.Height != img.Height {
		return Scene{}, &layerFault{"mask_size", image.origin, fmt.Errorf("%s: size: got %d x %d, want the picture's %d x %d", labels.origin,
			m.Width, m.Height, img.Width, img.Height)}
	}
	return Scene{ID: safeID(id), Image: img, Labels: m}, nil
}
