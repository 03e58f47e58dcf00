package ingest

import (
	"context"
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
			l.add(t, "missing_mask", tree.images[id].origin+" has no file labels/"+id+".regions.txt")
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
	e, ok := t.labels[path.Join(path.Dir(path.Dir(t.images[id].name)), id)]
	return e, ok
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
				l.add(task{id: safeID(id)}, "duplicate_id", e.origin+": "+old.origin+" has this id and is kept")
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
	used := map[string]bool{}
	for _, id := range t.order {
		if e, ok := t.labelsOf(id); ok {
			used[e.origin] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.labels)) {
		if e := t.labels[key]; !used[e.origin] {
			l.lost(safeID(path.Base(key)), "mask_without_image", e.origin+": the folder images beside labels has no picture of this name")
		}
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
		func(_ context.Context, i int) (sceneOutcome, error) {
			return tree.scene(tree.order[i], opts.Limits), nil
		},
		func(_ int, o sceneOutcome, err error) error {
			switch {
			case err != nil:
				return err
			case o.skip.Reason != "":
				skips = append(skips, o.skip)
				return nil
			}
			return visit(o.scene)
		})
	sortSkips(skips)
	return skips, err
}

type sceneOutcome struct {
	scene Scene
	skip  manifests.Skip
}

func (t *stanfordTree) scene(id string, lim raster.Limits) sceneOutcome {
	var hold raster.Hold
	defer hold.Release()
	lim = lim.Within(&hold)
	image := t.images[id]
	refuse := func(reason string, err error) sceneOutcome {
		return sceneOutcome{skip: manifests.Skip{Record: safeID(id), Reason: reason, Detail: image.origin + ": " + err.Error()}}
	}
	labels, ok := t.labelsOf(id)
	if !ok {
		return refuse("missing_mask", fmt.Errorf("there is no labels/%s.regions.txt", id))
	}
	_, img, _, reason, err := image.picture(lim)
	if err != nil {
		return refuse(reason, err)
	}
	m, _, err := readMask(&labels, lim, decodeRegions)
	if err != nil {
		return refuse(limitReason(err, "corrupt_mask"), err)
	}
	if m.Width != img.Width || m.Height != img.Height {
		return refuse("mask_size", fmt.Errorf("%s: size: got %d x %d, want the picture's %d x %d", labels.origin,
			m.Width, m.Height, img.Width, img.Height))
	}
	return sceneOutcome{scene: Scene{ID: safeID(id), Image: img, Labels: m}}
}
