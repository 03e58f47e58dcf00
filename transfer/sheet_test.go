package transfer

import (
	"bytes"
	"image/png"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"

	"golang.org/x/image/font/basicfont"
)

// What is written under a cell fits into it.
func TestCaption(t *testing.T) {
	for want, s := range map[string]Score{"label 0.71, predicted 0.83": {Tier: manifests.Label, IoU: 0.714, Quality: 0.826}, "bbox 0.50": {Tier: manifests.BBox, IoU: 0.5}} {
		if got := caption(&s); got != want || len(got)*basicfont.Face7x13.Advance > sheetCell {
			t.Errorf("got %q, want %q, of at most %d pixels", got, want, sheetCell)
		}
	}
}

// A sheet of two tiers: text in the lines above and below the cells, of three rows a tier, and nothing right of the last cell.
func TestContactSheet(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	dir := t.TempDir()
	for _, i := range []int{0, 1, 8} { // b0, b1 and l2, whose masks are the true ones
		r := &m.Records[i]
		writeTruth(t, dir+"/"+r.ID+".png", truth[r.ID])
		ref := manifests.Mask{Tier: r.Tier, Quality: 0.8}
		var err error
		if ref.Path, ref.SHA256, err = store.Put("masks/"+string(r.Tier), r.ID, "png", raster.EncodeMaskPNG(truth[r.ID])); err != nil {
			t.Fatal(err)
		}
		r.Masks = []manifests.Mask{ref}
	}
	rep, err := Evaluate(m, store, dir, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := rep.ContactSheet(m, store)
	if err != nil {
		t.Fatal(err)
	}
	im, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := im.Bounds(); b.Dx() != sheetColumns*sheetCell || b.Dy() != 6*sheetRow {
		t.Fatalf("sheet of %v, want six rows of %d cells", b, sheetColumns)
	}
	written := func(left, top int) (n int) {
		for y := top; y < top+sheetLine; y++ {
			for x := left; x < left+sheetCell; x++ {
				if r, g, b, _ := im.At(x, y).RGBA(); r == 0xffff && g == r && b == r {
					n++
				}
			}
		}
		return n
	}
	for row := range 6 {
		top := row * sheetRow
		cells := 2 - row/3 // two masks of the first tier, one of the second
		for _, y := range []int{top, top + sheetLine + sheetCell, top + 2*sheetLine + sheetCell} {
			if written(0, y) < 10 {
				t.Errorf("row %d: nothing is written at %d", row, y)
			}
		}
		if n := written((cells-1)*sheetCell, top+2*sheetLine+sheetCell); n < 50 {
			t.Errorf("row %d: cell %d has %d white pixels of text", row, cells-1, n)
		}
		if n := written(cells*sheetCell, top+2*sheetLine+sheetCell); n != 0 {
			t.Errorf("row %d: something is written under no cell", row)
		}
	}
	svg, err := rep.Calibration()
	if err != nil || !bytes.Contains(svg, []byte("mean predicted")) {
		t.Errorf("plot: %v; want the mean prediction in its legend", err)
	}
}
