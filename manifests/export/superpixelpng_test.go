package export

import (
	"bytes"
	"image/png"
	"testing"
)

// A map of 255 superpixels has 8 bits, one of 256 has 16: MATLAB's uint8(x)+1 would make 255 of both 254 and 255.
func TestSuperpixelBits(t *testing.T) {
	for n, bits := range map[int32]int{1: 8, 255: 8, 256: 16, 300: 16} {
		labels := make([]int32, 300)
		for i := range labels {
			labels[i] = min(int32(i), n-1)
		}
		data, err := superpixelPNG(labels, 20, 15)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got := map[bool]int{true: 8, false: 16}[data[24] == 8]; got != bits { // the IHDR chunk's bit depth
			t.Errorf("%d superpixels: got %d bits, want %d", n, got, bits)
		}
		for i, want := range labels {
			r, _, _, _ := img.At(i%20, i/20).RGBA()
			if bits == 8 {
				r >>= 8
			}
			if int32(r) != want {
				t.Fatalf("%d superpixels: pixel %d: got %d, want %d", n, i, r, want)
			}
		}
	}
}
