package export

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"regexp"
	"slices"
	"strings"

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
type hdseg struct{ *exporter }

var hdsegSuffix = map[manifests.Tier]string{manifests.Manual: "gt", manifests.BBox: "bb", manifests.Label: "no"}

// hdsegLetter begins the names in the feature file of training pictures.
var hdsegLetter = map[manifests.Tier]string{manifests.Manual: "a", manifests.BBox: "b", manifests.Label: "c"}

var (
	imageNetID = regexp.MustCompile(`^(n[0-9]{8})_[0-9]+$`)
	vocID      = regexp.MustCompile(`^20(07|08|09|10|11)_[0-9]{6}$`)
)

// hdsegFolder is where a picture's files lie. Readers of the feature file derive it from an id of
// VOC or ImageNet; see listed.
func hdsegFolder(r *manifests.Record) string {
	if r.Split == manifests.Test {
		return "test"
	}
	return cmp.Or(publishedFolder(r.ID), r.Synset, r.Source, "other")
}

// publishedFolder is where readers look for the training picture of an id of VOC or ImageNet; ""
// for any other id.
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

func (h *hdseg) picture(p *picture) (any, []manifests.Box, error) {
	if h.Manifest.Class.Name == "" {
		return nil, nil, fmt.Errorf("the manifest names no class, which HDSeg's folders are named for")
	}
	n := node{Record: p.Record, frame: frameOf(&p.Image)}
	at := h.set() + "/" + hdsegFolder(p.Record) + "/" + p.ID
	for _, t := range p.tiers {
		m, _ := p.MaskOf(t)
		mask, err := load.Mask(h.Store, p.Record, m)
		if err != nil {
			return nil, nil, err
		}
		if n.tier == "" || slices.Index(DefaultTiers, t) < slices.Index(DefaultTiers, n.tier) {
			n.tier = t
		}
		if err := h.out.write("HDSeg/annotations/"+at+"."+hdsegSuffix[t]+".png", raster.EncodeMaskPNG(n.frame.mask(mask))); err != nil {
			return nil, nil, err
		}
	}
	return n, nil, h.copyImage(p, "HDSeg/images/"+at+".JPEG")
}

func (h *hdseg) split(ctx context.Context, split manifests.Split, entries []any) error {
	if h.Features == nil {
		return nil
	}
	var nodes []node
	for _, e := range entries {
		n := e.(node)
		ok, err := h.listed(n)
		if err != nil {
			return err
		}
		if ok {
			nodes = append(nodes, n)
		}
	}
	// Readers take the first 147 for the drawn ones, and so on.
	slices.SortStableFunc(nodes, func(a, b node) int {
		return cmp.Compare(slices.Index(DefaultTiers, a.tier), slices.Index(DefaultTiers, b.tier))
	})
	return h.features(ctx, split, nodes)
}

func (h *hdseg) finish() error {
	return h.out.write("HDSeg/README", []byte(h.card("HDSeg tree", hdsegReadme)))
}

// listed tells whether the feature file can name a picture: readers split the names of training
// pictures at each '_' and know two kinds of folders, voc12 for a year and a synset's.
func (h *hdseg) listed(n node) (bool, error) {
	if n.Split == manifests.Train && publishedFolder(n.ID) == "" {
		h.skip(n.Record, "hdseg_name", "readers of the feature file find ids of VOC and ImageNet alone: it is in the tree only")
		return false, nil
	}
	g, err := h.Features.Graph(n.Record)
	if g == nil && err == nil {
		h.skip(n.Record, "no_features", "the feature cache does not have it: it is in the tree only")
	}
	return g != nil, err
}

// features writes the feature file and the superpixels of a split, one picture after the other: the
// file of 25,438 pictures has some 70 GB.
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
		data, err := h.superpixels(n)
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
			g, err := h.Features.Graph(n.Record)
			if err != nil {
				return err
			}
			put(w, i, n, g)
		}
		return w.Close()
	})
}

// put writes the seven datasets of picture i.
func put(w *hdf5.Writer, i int, n node, g *Graph) {
	name := func(s string) string { return fmt.Sprintf("%s_%06d", s, i) }
	w.Int64s(name("superpixel_count"), []int64{int64(g.N)})
	w.Int64s(name("edge_count"), []int64{int64(len(g.Edges))})
	edges := make([]int64, 0, 2*len(g.Edges))
	for _, e := range g.Edges {
		edges = append(edges, int64(e[0]), int64(e[1]))
	}
	w.Int64s(name("edge_structure"), edges, len(g.Edges), 2)
	w.Float32s(name("features"), g.Features, g.N, g.Dim)
	labels := make([]int64, g.N)
	for k, y := range g.Labels[n.tier] {
		if y == raster.Figure {
			labels[k] = 1 // void becomes ground: there are two labels
		}
	}
	w.Int64s(name("labels"), labels, g.N)
	if n.Split == manifests.Test {
		w.String(name("annotation_file"), n.ID+"."+hdsegSuffix[n.tier]+".png")
		w.String(name("image_name"), n.ID+".JPEG")
		return
	}
	w.String(name("annotation_file"), "anno"+hdsegLetter[n.tier]+"_"+n.ID+".png")
	w.String(name("image_name"), "img"+hdsegLetter[n.tier]+"_"+n.ID+".JPEG")
}

// superpixels returns the map of a picture's superpixels as a PNG of 8 bits or, if need be, 16.
func (h *hdseg) superpixels(n node) ([]byte, error) {
	pixels, err := h.Features.Pixels(n.Record)
	if err != nil {
		return nil, err
	}
	labels := raster.OrientPix(pixels, n.Image.Width, n.Image.Height, n.frame.inverse())
	return superpixelPNG(labels, n.frame.width, n.frame.height)
}

// superpixelPNG writes a map of superpixels. It has 8 bits only below 256 superpixels: MATLAB reads
// it as uint8, and adding 1 to number 255 would saturate.
func superpixelPNG(labels []int32, width, height int) ([]byte, error) {
	r := image.Rect(0, 0, width, height)
	gray, wide := image.NewGray(r), image.NewGray16(r)
	most := slices.Max(labels)
	if most >= 1<<16 {
		return nil, fmt.Errorf("superpixels: got %d, want at most %d", most+1, 1<<16)
	}
	for i, l := range labels {
		gray.Pix[i] = uint8(l)
		wide.Pix[2*i], wide.Pix[2*i+1] = uint8(l>>8), uint8(l)
	}
	var out image.Image = gray
	if most >= 255 {
		out = wide
	}
	var b bytes.Buffer
	err := png.Encode(&b, out)
	return b.Bytes(), err
}
