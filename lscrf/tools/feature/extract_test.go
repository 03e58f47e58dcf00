package feature

import (
	"math"
	"strings"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// strips returns a 12 x 4 picture, black in columns 0..5 and white from 6 on, and three superpixels of four columns.
func strips() (*raster.RGB, *superpixel.Map) {
	img := raster.NewRGB(12, 4)
	sp := &superpixel.Map{Labels: make([]int32, 48), Width: 12, Height: 4, N: 3}
	for i := range sp.Labels {
		sp.Labels[i] = int32(i % 12 / 4)
		if i%12 >= 6 {
			img.Set(i%12, i/12, 255, 255, 255)
		}
	}
	return img, sp
}

// Superpixel 0 is black and centered at ((0+1+2+3)/4 + 0.5)/12 = 1/6 across and 1/2 down; 1 is half white, so 127.5.
func TestDraft(t *testing.T) {
	img, sp := strips()
	for x := range 4 {
		for y := range 4 {
			img.Set(x, y, 10, 20, 30)
		}
	}
	out := Extract(img, sp, Defaults())
	if len(out) != 3*DraftDim || Dim(Defaults()) != DraftDim {
		t.Fatalf("got %d values", len(out))
	}
	for i, want := range [][5]float64{{10, 20, 30, 1. / 6, 0.5}, {127.5, 127.5, 127.5, 0.5, 0.5}, {255, 255, 255, 5. / 6, 0.5}} {
		for k, w := range want {
			if got := float64(out[i*DraftDim+k]); math.Abs(got-w) > 1e-6 {
				t.Errorf("superpixel %d, value %d: got %g, want %g", i, k, got, w)
			}
		}
		// The descriptor is that of the pixel nearest to the mean (5.5, 1.5): halves go up.
		at := []int{2, 6, 10}[i]
		want := describe(raster.Gray(img), 12, 4, at, 2, Defaults())
		for k, w := range want {
			if got := out[i*DraftDim+5+k]; got != w {
				t.Fatalf("superpixel %d, SIFT %d: got %g, want %g", i, k, got, w)
			}
		}
	}
}

// handmade has colour words black (3) and white (5), a SIFT word for nothing (7), and all others far away.
func handmade() *Vocabulary {
	v := &Vocabulary{Colors: make([]float32, 3*colorWords), SIFT: make([]float32, 128*siftWords), Bin: 4, Sigma: 1, Range: RangeB}
	for i := range v.Colors {
		v.Colors[i] = 1000
	}
	copy(v.Colors[3*3:], []float32{0, 0, 0})
	copy(v.Colors[3*5:], []float32{100, 0, 0})
	for i := range v.SIFT {
		if i/128 != 7 {
			v.SIFT[i] = 1000
		}
	}
	return v
}

// The grid's cells are 3 columns by 1 row. Per row S0 of superpixel 0 (columns 0..3) has 3 pixels in
// cell column 0 and 1 in column 1, of 16 in all; S1 (0..7) has 3, 3, 2 of 32; S2 is everything, 3 of 48 each. Its colours are black 16
// of 16; 24 of 32 black, 8 white; 24 and 24 of 48.
func TestHistograms(t *testing.T) {
	img, sp := strips()
	o := Defaults()
	o.Set, o.Vocabulary = HDSeg, handmade()
	out := Extract(img, sp, o)
	if len(out) != 3*HDSegDim || Dim(o) != HDSegDim {
		t.Fatalf("got %d values", len(out))
	}
	want := make([]float64, 1+3*(positionBins+colorWords))
	want[0] = 1
	for row := range 4 {
		for ring, cells := range [][4]float64{{3. / 16, 1. / 16, 0, 0}, {3. / 32, 3. / 32, 2. / 32, 0}, {3. / 48, 3. / 48, 3. / 48, 3. / 48}} {
			for col, f := range cells {
				want[1+16*ring+4*row+col] = math.Sqrt(f)
			}
		}
	}
	for ring, black := range []float64{1, 0.75, 0.5} {
		want[49+128*ring+3], want[49+128*ring+5] = math.Sqrt(black), math.Sqrt(1-black)
	}
	for k, w := range want {
		if got := float64(out[k]); math.Abs(got-w) > 1e-6 {
			t.Errorf("value %d: got %g, want %g", k, got, w)
		}
	}
	// Every block has norm 1, the SIFT ones too: some descriptor lies in each superpixel.
	for i := range sp.N {
		at := i*HDSegDim + 1
		for _, width := range []int{positionBins, colorWords, siftWords} {
			for range 3 {
				n := 0.0
				for _, v := range out[at : at+width] {
					n += float64(v) * float64(v)
				}
				if math.Abs(n-1) > 1e-5 {
					t.Errorf("superpixel %d, block at %d: squares sum to %g, want 1", i, at-i*HDSegDim, n)
				}
				at += width
			}
		}
	}
	// Without any gradient all descriptors are the word for nothing.
	out = Extract(raster.NewRGB(12, 4), sp, o)
	for i := range sp.N {
		for ring := range 3 {
			if got := out[i*HDSegDim+433+512*ring+7]; got != 1 {
				t.Errorf("superpixel %d, ring %d: got %g of word 7, want 1", i, ring, got)
			}
		}
	}
}

func TestExtractPanics(t *testing.T) {
	img, sp := strips()
	hdseg := Defaults()
	hdseg.Set = HDSeg
	other := hdseg
	other.Vocabulary = handmade()
	other.WordBin = 5
	peer.Panics(t, map[string]func(){
		"no options":       func() { Extract(img, sp, Options{}) },
		"another size":     func() { Extract(raster.NewRGB(4, 12), sp, Defaults()) },
		"no vocabulary":    func() { Extract(img, sp, hdseg) },
		"other vocabulary": func() { Extract(img, sp, other) },
	})
}

func TestValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	err := Options{SIFTSigma: -1}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{"set", "siftBin", "siftRange", "siftSigma", "wordBin", "wordStep"} {
		if !strings.Contains(err.Error(), field+": got") {
			t.Errorf("%s is not named in:\n%v", field, err)
		}
	}
}
