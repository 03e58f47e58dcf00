package peer

import (
	"bytes"
	"image"
	_ "image/png" // masks
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

// Data returns the folder of the shared data, or skips the test.
func Data(t testing.TB) string {
	t.Helper()
	if os.Getenv("HDSEG_REAL") != "1" {
		t.Skip("SKIPPED: measures on real data: set HDSEG_REAL=1 to run it")
	}
	dir := os.Getenv("HDSEG_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "VOCdevkit")); err != nil {
		t.Skipf("SKIPPED: needs the shared real data in $HDSEG_DATA or beside the repository: %v", err)
	}
	return dir
}

// A Picture is an image with the drawn mask of its figure.
type Picture struct {
	Image *raster.RGB
	Mask  *raster.Mask
}

// The colors of VOC's masks.
const (
	Dog   = 12
	Horse = 13
)

// VOC returns the pictures of VOC 2012 with a mask, in the order of their names, figure being the
// pixels of some classes; each says whether a picture is wanted, by its number and whether it has
// figure.
func VOC(t testing.TB, wanted func(i int, figure bool) bool, classes ...uint8) []Picture {
	t.Helper()
	root := filepath.Join(Data(t), "VOCdevkit", "VOC2012")
	masks := glob(t, filepath.Join(root, "SegmentationClass", "*.png"))
	var out []Picture
	for i, file := range masks {
		pal, ok := decode(t, file).(*image.Paletted)
		if !ok {
			t.Fatalf("%s: not a palette image", file)
		}
		mask := raster.NewMask(pal.Rect.Dx(), pal.Rect.Dy())
		figure := false
		for k, v := range pal.Pix {
			switch {
			case slices.Contains(classes, v):
				mask.Pix[k], figure = raster.Figure, true
			case v == 255:
				mask.Pix[k] = raster.Void
			}
		}
		if wanted(i, figure) {
			id := strings.TrimSuffix(filepath.Base(file), ".png")
			out = append(out, Picture{RGB(t, filepath.Join(root, "JPEGImages", id+".jpg")), mask})
		}
	}
	return out
}

// Figure wants the pictures that have figure.
func Figure(_ int, figure bool) bool { return figure }

// TestSet returns the first n test pictures of a class, horse or dog, as peers.py takes them.
func TestSet(t testing.TB, class string, n int) []Picture {
	t.Helper()
	dir := filepath.Join(Data(t), "test", class)
	files := glob(t, filepath.Join(dir, "images", "*.jpg"))
	if len(files) < n {
		t.Fatalf("%d pictures in %s, want %d", len(files), dir, n)
	}
	var out []Picture
	for _, f := range files[:n] {
		name := strings.TrimSuffix(filepath.Base(f), ".jpg") + ".png"
		gray, ok := decode(t, filepath.Join(dir, "masks", name)).(*image.Gray)
		if !ok {
			t.Fatalf("%s: not a gray mask", name)
		}
		p := Picture{RGB(t, f), raster.NewMask(gray.Rect.Dx(), gray.Rect.Dy())}
		for i, v := range gray.Pix {
			if v > 127 {
				p.Mask.Pix[i] = raster.Figure
			}
		}
		out = append(out, p)
	}
	return out
}

// RGB decodes a picture.
func RGB(t testing.TB, file string) *raster.RGB {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return img
}

func decode(t testing.TB, file string) image.Image {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return img
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing is %s: %v", pattern, err)
	}
	slices.Sort(files)
	return files
}
