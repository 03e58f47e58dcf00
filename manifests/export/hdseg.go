package export

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"regexp"
	"slices"
	"strings"

	"hdseg/lscrf/tools/cache"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/format/hdf5"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// hdseg writes the tree that HDSeg's users unpack:
//
//	HDSeg/images/HorseSeg/FOLDER/ID.JPEG          FOLDER is the synset, voc12 or test
//	HDSeg/annotations/HorseSeg/FOLDER/ID.gt.png   and .bb.png, .no.png: 0 ground, 1 figure, 255 void
//	data/horse-features.bin, data/horse-superpixels/000000.png, and the same with -test
//
// (method facts 1.2 to 1.4: the readers are aosokin/gapBCFW's loaders).
type hdseg struct {
	*exporter
	pairs map[key]int // image of Features by record
}

type key struct {
	split manifests.Split
	id    string
}

var hdsegSuffix = map[manifests.Tier]string{manifests.Manual: "gt", manifests.BBox: "bb", manifests.Label: "no"}

// hdsegLetter begins the names in the feature file of training pictures.
var hdsegLetter = map[manifests.Tier]string{manifests.Manual: "a", manifests.BBox: "b", manifests.Label: "c"}

var (
	imageNetID = regexp.MustCompile(`^(n[0-9]{8})_[0-9]+$`)
	vocID      = regexp.MustCompile(`^20(07|08|09|10|11)_[0-9]{6}$`)
)

// hdsegFolder is where a picture's files lie. Readers of the feature file derive it from an id of VOC or ImageNet; see listed.
func hdsegFolder(r *manifests.Record) string {
	if r.Split == manifests.Test {
		return "test"
	}
	return cmp.Or(publishedFolder(r.ID), r.Synset, r.Source, "other")
}

// publishedFolder is where readers look for the training picture of an id of VOC or ImageNet; "" for any other id.
func publishedFolder(id string) string {
	if vocID.MatchString(id) {
		return "voc12"
	}
	if m := imageNetID.FindStringSubmatch(id); m != nil {
		return m[1]
	}
	return ""
}

// set is HorseSeg for the class horse.
func (h *hdseg) set() string {
	name := h.Manifest.Class.Name
	return strings.ToUpper(name[:1]) + name[1:] + "Seg"
}

// A node is what the feature file needs of a picture.
type node struct {
	*manifests.Record
	tier  manifests.Tier
	frame frame
}

func (h *hdseg) picture(p *picture) (any, error) {
	if h.Manifest.Class.Name == "" {
		return nil, fmt.Errorf("the manifest names no class, which HDSeg's folders are named for")
	}
	n := node{Record: p.Record, frame: frameOf(&p.Image)}
	at := h.set() + "/" + hdsegFolder(p.Record) + "/" + p.ID
	for _, t := range p.tiers {
		suffix, ok := hdsegSuffix[t]
		if !ok {
			continue // another tool's masks have no name there
		}
		m, ok := p.MaskOf(t)
		mask, err := p.read(h.Store, m, ok)
		if err != nil {
			return nil, err
		}
		if n.tier == "" || slices.Index(DefaultTiers, t) < slices.Index(DefaultTiers, n.tier) {
			n.tier = t
		}
		if err := h.out.write("HDSeg/annotations/"+at+"."+suffix+".png", raster.EncodeMaskPNG(n.frame.mask(mask))); err != nil {
			return nil, err
		}
	}
	if n.tier == "" {
		return nil, fmt.Errorf("it has only masks that HDSeg has no name for")
	}
	return n, h.copyImage(p, "HDSeg/images/"+at+".JPEG")
}

func (h *hdseg) finish(ctx context.Context, entries []any) error {
	if err := h.out.write("HDSeg/README", []byte(h.card("HDSeg tree", hdsegReadme))); err != nil {
		return err
	}
	if h.Features == nil {
		return nil
	}
	h.pairs = map[key]int{}
	for i := range h.Features.Len() {
		im, err := h.Features.Get(i)
		if err != nil {
			return err
		}
		h.pairs[key{im.Split, im.ID}] = i
	}
	for _, split := range []manifests.Split{manifests.Train, manifests.Test} {
		var nodes []node
		for _, e := range entries {
			if n := e.(node); n.Split == split && h.listed(n) {
				nodes = append(nodes, n)
			}
		}
		// Readers take the first 147 for the drawn ones, and so on.
		slices.SortStableFunc(nodes, func(a, b node) int {
			return cmp.Compare(slices.Index(DefaultTiers, a.tier), slices.Index(DefaultTiers, b.tier))
		})
		if err := h.features(ctx, split, nodes); err != nil {
			return err
		}
	}
	return nil
}

// listed tells whether the feature file can name a picture: readers split the names of training pictures at each '_' and know two kinds of
// folders, voc12 for a year and a synset's.
func (h *hdseg) listed(n node) bool {
	if n.Split == manifests.Train && publishedFolder(n.ID) == "" {
		h.skip(n.Record, "hdseg_name", "readers of the feature file find ids of VOC and ImageNet alone: it is in the tree only")
		return false
	}
	if _, ok := h.pairs[key{n.Split, n.ID}]; !ok {
		h.skip(n.Record, "no_features", "the feature cache does not have it: it is in the tree only")
		return false
	}
	return true
}

// features writes the feature file and the superpixels of a split, one picture after the other: the file of 25,438 pictures
// has some 70 GB.
func (h *hdseg) features(ctx context.Context, split manifests.Split, nodes []node) error {
	if len(nodes) == 0 {
		return nil
	}
	stem, tail := "data/"+h.Manifest.Class.Name, ""
	if split == manifests.Test {
		tail = "-test"
	}
	err := manifests.Each(ctx, h.Workers, len(nodes), func(_ context.Context, i int) (struct{}, error) {
		n := nodes[i]
		im, err := h.Features.Get(h.pairs[key{split, n.ID}])
		if err != nil {
			return struct{}{}, err
		}
		data, err := h.superpixels(n, im)
		if err != nil {
			return struct{}{}, fmt.Errorf("%s: %w", n.ID, err)
		}
		return struct{}{}, h.out.write(fmt.Sprintf("%s-superpixels%s/%06d.png", stem, tail, i), data)
	}, func(_ int, _ struct{}, err error) error { return err })
	if err != nil {
		return err
	}
	return h.out.create(stem+"-features"+tail+".bin", func(f *os.File) error {
		w := hdf5.NewWriter(f)
		for i, n := range nodes {
			if err := ctx.Err(); err != nil {
				return err
			}
			im, err := h.Features.Get(h.pairs[key{split, n.ID}])
			if err != nil {
				return err
			}
			put(w, i, n, im)
		}
		return w.Close()
	}, "")
}

// put writes the seven datasets of picture i.
func put(w *hdf5.Writer, i int, n node, im *cache.Image) {
	name := func(s string) string { return fmt.Sprintf("%s_%06d", s, i) }
	w.Int64s(name("superpixel_count"), []int64{int64(im.N)})
	w.Int64s(name("edge_count"), []int64{int64(len(im.Edges))})
	edges := make([]int64, 0, 2*len(im.Edges))
	for _, e := range im.Edges {
		edges = append(edges, int64(e[0]), int64(e[1]))
	}
	w.Int64s(name("edge_structure"), edges, len(im.Edges), 2)
	w.Float32s(name("features"), im.Features, im.N, im.Dim)
	labels := make([]int64, im.N)
	for _, l := range im.Labels {
		for k := range labels {
			if l.Tier == n.tier && l.Y[k] == raster.Figure {
				labels[k] = 1 // void becomes ground: there are two labels
			}
		}
	}
	w.Int64s(name("labels"), labels, im.N)
	if n.Split == manifests.Test {
		w.String(name("annotation_file"), n.ID+"."+hdsegSuffix[n.tier]+".png")
		w.String(name("image_name"), n.ID+".JPEG")
		return
	}
	w.String(name("annotation_file"), "anno"+hdsegLetter[n.tier]+"_"+n.ID+".png")
	w.String(name("image_name"), "img"+hdsegLetter[n.tier]+"_"+n.ID+".JPEG")
}

// superpixels cuts a picture again as its features were made and returns the map as a PNG: 8 bits where they suffice, else 16.
func (h *hdseg) superpixels(n node, im *cache.Image) ([]byte, error) {
	img, err := load.Image(h.Store, n.Record)
	if err != nil {
		return nil, err
	}
	sp := superpixel.Segment(img, h.Superpixel)
	if sp.N != im.N || !slices.Equal(sp.Sizes(), im.Sizes) {
		return nil, fmt.Errorf("superpixels: got %d, want the %d of the features: they were made with other settings", sp.N, im.N)
	}
	labels := stored(n.frame, sp.Labels)
	r := image.Rect(0, 0, n.frame.width, n.frame.height)
	var out image.Image
	if sp.N <= 256 {
		g := image.NewGray(r)
		for i, l := range labels {
			g.Pix[i] = uint8(l)
		}
		out = g
	} else {
		if sp.N > 1<<16 {
			return nil, fmt.Errorf("superpixels: got %d, want at most %d", sp.N, 1<<16)
		}
		g := image.NewGray16(r)
		for i, l := range labels {
			g.SetGray16(i%n.frame.width, i/n.frame.width, color.Gray16{Y: uint16(l)})
		}
		out = g
	}
	var b bytes.Buffer
	err = png.Encode(&b, out)
	return b.Bytes(), err
}
