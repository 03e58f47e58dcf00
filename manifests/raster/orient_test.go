package raster

import "testing"

// The eight orientations of the 3 x 2 picture
//
//	1 2 3
//	4 5 6
//
// by Exif's own words: the tag says where the stored row 0 and column 0 belong in the upright picture.
func TestOrient(t *testing.T) {
	want := map[int]struct {
		w, h int
		pix  string
	}{
		1: {3, 2, "123456"}, // row 0 top, column 0 left
		2: {3, 2, "321654"}, // top, right
		3: {3, 2, "654321"}, // bottom, right
		4: {3, 2, "456123"}, // bottom, left
		5: {2, 3, "142536"}, // left, top
		6: {2, 3, "415263"}, // right, top
		7: {2, 3, "635241"}, // right, bottom
		8: {2, 3, "362514"}, // left, bottom
	}
	img, mask := NewRGB(3, 2), NewMask(3, 2)
	for i := range 6 {
		img.Set(i%3, i/3, uint8('1'+i), uint8(i), uint8(2*i))
		mask.Pix[i] = uint8('1' + i)
	}
	for tag, w := range want {
		m, k := Orient(img, tag), OrientMask(mask, tag)
		if m.Width != w.w || m.Height != w.h || k.Width != w.w || k.Height != w.h {
			t.Errorf("%d: got %d x %d, want %d x %d", tag, m.Width, m.Height, w.w, w.h)
			continue
		}
		for i := range 6 {
			r, g, b := m.At(i%w.w, i/w.w)
			if r != w.pix[i] || g != w.pix[i]-'1' || b != 2*(w.pix[i]-'1') {
				t.Errorf("%d: pixel %d: got %c, want %c", tag, i, r, w.pix[i])
			}
		}
		if string(k.Pix) != w.pix {
			t.Errorf("%d: mask: got %s, want %s", tag, k.Pix, w.pix)
		}
	}
}

func TestCropAndMirror(t *testing.T) {
	img, mask := NewRGB(3, 2), NewMask(3, 2)
	for i := range 6 {
		img.Set(i%3, i/3, uint8(i), 0, 0)
		mask.Pix[i] = uint8(i)
	}
	c, k := img.Crop(1, 0, 3, 2), mask.Crop(1, 0, 3, 2)
	for i, want := range []uint8{1, 2, 4, 5} {
		if r, _, _ := c.At(i%2, i/2); r != want || k.Pix[i] != want {
			t.Errorf("crop: pixel %d: got %d and %d, want %d", i, r, k.Pix[i], want)
		}
	}
	if r, _, _ := Orient(img, 2).At(0, 1); r != 5 || OrientMask(mask, 2).At(0, 1) != 5 {
		t.Error("mirror: (0, 1) is not what (2, 1) was")
	}
}
