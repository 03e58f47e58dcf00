package export

import (
	"fmt"
	"strings"

	"hdseg/manifests"
)

const hdsegReadme = `HDSeg/images/SET/FOLDER/ID.JPEG and HDSeg/annotations/SET/FOLDER/ID.{gt,bb,no}.png: gt was ` +
	`drawn by people, bb is segmentation
transfer inside a given box, no is transfer from the image's label alone. Mask values: 0 ground, 1 figure, 255 ` +
	`void. Masks have the
size of the picture as it is stored, whatever its EXIF tag says.

data/CLASS-features.bin and -test.bin (HDF5): for picture i, %06d, superpixel_count, edge_count, edge_structure ` +
	`(0-based, E x 2), features
(N x D, float32), labels (0 ground, 1 figure; a superpixel that is void everywhere is 0), annotation_file, image_name.
data/CLASS-superpixels/%06d.png: the node of each pixel, from 0; 16 bits where there are 256 or more.

gapBCFW's loaders (load_dataset_horseSeg.m) have the counts of the published horses built in: 241 test pictures, and ` +
	`of training pictures the
first 147 (small, drawn by people), 147 + 5974 (medium, with boxes) or 147 + 5974 + 19317 (large). Where a feature file ` +
	`has fewer, they
end in an error of h5read at the first number that is missing; where it has more, they leave the rest out. Set startIndex and
endIndex there to the counts of your files.
`

const cocoReadme = `SPLIT/ID.EXT and annotations/instances_SPLIT.json. The figure is one annotation, or one for ` +
	`each given box with the figure's
pixels in it and one for those in none. Void pixels are an annotation with iscrowd 1. Run lengths are exact; ` +
	`the _polygons files, if
there are any, are views of the same without holes. Coordinates are those of the stored pixels, whatever an EXIF tag says.
`

const vocReadme = `VOCdevkit/VOC2012 in VOC's own layout: train is the training split, val the test split, ` +
	`trainval both. SegmentationClass has the class's
VOC number, 255 is void; SegmentationObject the number of the nearest box in Annotations. Boxes are 1-based, maxima included.
`

const folderReadme = `SPLIT/metadata.jsonl lists pictures with their masks (0 ground, 1 figure, 255 void), ` +
	`boxes (xMin yMin xMax yMax, half-open, separated by ';') and tiers: manual was drawn
by people, bbox is segmentation transfer inside a given box, label is transfer from the image's label alone.

    datasets.load_dataset("imagefolder", data_dir=...)
`

const croissantReadme = `croissant.json describes records.json and the archives DATASET-SPLIT-DIGEST.tar, which ` +
	`hold images/ID.EXT and masks/ID.png (0 ground, 1 figure, 255 void).
Boxes in records.json are xMin yMin xMax yMax, half-open, separated by ';'.
`

// card returns the data-set card: front matter that the hub reads, counts, and what the layout
// means.
func (e *exporter) card(layout, text string) string {
	m := e.Manifest
	var b strings.Builder
	fmt.Fprintf(&b, "---\npretty_name: %q\nlicense: other\nlicense_name: noassertion\ntask_categories:\n- "+
		"image-segmentation\nsize_categories:\n- %s\ntags:\n- figure-ground\n- %q\n---\n",
		m.Dataset, sizeCategory(e.res.Images), m.Class.Name)
	fmt.Fprintf(&b, "# %s: %s\n\nFigure is %s (%d synsets); everything else is ground. %d pictures, %d masks, %d "+
		"boxes.\n\n", m.Dataset, layout, m.Class.Name, len(m.Class.Synsets), e.res.Images, e.res.Masks, e.res.Boxes)
	b.WriteString("| split | tier | images of the manifest |\n|---|---|---|\n")
	for _, c := range m.Counts() {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", c.Split, c.Tier, c.Images)
	}
	fmt.Fprintf(&b, "\n%s\nMade by hdseg %s from the manifest with sha256 %s, which says where every mask came from. "+
		"`sha256sum -c %s` checks the files.\n"+
		"%s has, a line for each picture, its record there: source, tier, digests and the masks' provenance; `hdseg ingest` reads it.\n",
		text, m.Version, e.Digest, manifests.SumsFile, CarriedFile)
	b.WriteString("The pictures belong to their owners: this card asserts no licence for them.\n")
	return b.String()
}

// sizeCategory is one of the hub's words.
func sizeCategory(n int) string {
	switch {
	case n < 1_000:
		return "n<1K"
	case n < 10_000:
		return "1K<n<10K"
	case n < 100_000:
		return "10K<n<100K"
	}
	return "100K<n<1M"
}
