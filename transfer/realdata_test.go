package transfer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

// A realSample is one picture of the shared data with what tests know of it.
type realSample struct {
	id    string
	im    *raster.RGB
	mask  *raster.Mask // manual mask, or truth of a box image
	boxes []image.Rectangle
}

// A realClass names one of the two shared sets.
type realClass struct {
	name, wnid string
	voc        uint8
}

var realClasses = []realClass{{"horse", "n02374451", 13}, {"dog", "n02084071", 12}}

// dataDir returns the folder of shared data or skips the test, loudly.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("HDSEG_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "VOCdevkit")); err != nil {
		t.Skipf("SKIPPED: no real data: set HDSEG_DATA or put it at ../shared/data (%v)", err)
	}
	if os.Getenv("HDSEG_REAL") != "1" {
		t.Skip("SKIPPED: takes minutes on real data; set HDSEG_REAL=1 to run it")
	}
	return dir
}

func decodeFile(t testing.TB, data []byte, err error) *raster.RGB {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	im, _, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// loadManual reads the VOC images with a class and their masks.
func loadManual(t testing.TB, dir string, c realClass) []realSample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "VOCdevkit/VOC2012/SegmentationClass/*.png"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no VOC masks: %v", err)
	}
	sort.Strings(files)
	var out []realSample
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		p := img.(*image.Paletted)
		m := raster.NewMask(p.Rect.Dx(), p.Rect.Dy())
		found := false
		for i := range m.Pix {
			switch p.Pix[i/m.Width*p.Stride+i%m.Width] {
			case c.voc:
				m.Pix[i] = raster.Figure
				found = true
			case 255:
				m.Pix[i] = raster.Void
			}
		}
		if !found {
			continue
		}
		id := strings.TrimSuffix(filepath.Base(f), ".png")
		data, err = os.ReadFile(filepath.Join(dir, "VOCdevkit/VOC2012/JPEGImages", id+".jpg"))
		out = append(out, realSample{id: id, im: decodeFile(t, data, err), mask: m})
	}
	return out
}

// loadBoxed reads the box images with their boxes and true masks.
func loadBoxed(t testing.TB, dir string, c realClass) []realSample {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "imagenet/boxes", c.wnid+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	docs := readTar(t, z)
	g, err := os.Open(filepath.Join(dir, "imagenet", c.wnid+".tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	images := readTar(t, g)
	var names []string
	for n := range docs {
		names = append(names, n)
	}
	sort.Strings(names)
	var out []realSample
	for _, n := range names {
		id := strings.TrimSuffix(n, ".xml")
		var doc struct {
			Size struct {
				Width  float64 `xml:"width"`
				Height float64 `xml:"height"`
			} `xml:"size"`
			Object []struct {
				Box struct {
					XMin float64 `xml:"xmin"`
					YMin float64 `xml:"ymin"`
					XMax float64 `xml:"xmax"`
					YMax float64 `xml:"ymax"`
				} `xml:"bndbox"`
			} `xml:"object"`
		}
		if err := xml.Unmarshal(docs[n], &doc); err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		s := realSample{id: id, im: decodeFile(t, images[id+".JPEG"], nil)}
		sx, sy := float64(s.im.Width)/doc.Size.Width, float64(s.im.Height)/doc.Size.Height
		for _, o := range doc.Object {
			b := o.Box
			r := image.Rect(int(math.Round((b.XMin-1)*sx)), int(math.Round((b.YMin-1)*sy)), int(math.Round(b.XMax*sx)), int(math.Round(b.YMax*sy)))
			if r = r.Intersect(image.Rect(0, 0, s.im.Width, s.im.Height)); !r.Empty() {
				s.boxes = append(s.boxes, r)
			}
		}
		if s.mask, err = readTruth(filepath.Join(dir, "truth", c.name, id+".png")); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func readTar(t testing.TB, r io.Reader) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(h.Name)] = data
	}
}
