package ingest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	_ "image/gif"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/webp"

	"hdseg/manifests/raster"
)

// allocated is how many bytes f allocates in all, freed or not.
func allocated(f func()) int64 {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return int64(b.TotalAlloc - a.TotalAlloc)
}

// standard decodes with the decoders of Go; nil where they cannot.
func standard(data []byte) *raster.RGB {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return raster.FromImage(img)
}

// reference is a decoding of an odd picture that this program did not make: the PNG that the test suite of jpeg-decoder puts beside it, else what Go's
// own decoders give; nil for none. image/jpeg leaves CMYK inverted.
func reference(t *testing.T, file string, data []byte, notes []string) *raster.RGB {
	t.Helper()
	if beside, err := os.ReadFile(strings.TrimSuffix(file, filepath.Ext(file)) + ".png"); err == nil && strings.Contains(file, "jpeg-decoder") && filepath.Ext(file) == ".jpg" {
		return standard(beside)
	}
	if slices.Contains(notes, "cmyk") || slices.Contains(notes, "ycck") {
		return nil
	}
	return standard(data)
}

// oddAccepted are pictures that the catalog's reader could not open and this program reads, each for a reason.
var oddAccepted = map[string]string{
	"pillow/Tests/images/truncated_exif_dpi.jpg": "exif_broken", // whole, but for its metadata, which never cost a picture; newer versions of that reader agree
}

// The shared odd pictures against their catalog, without Python: what it lists as readable and is a JPEG, PNG, GIF, BMP or WebP is
// accepted with the size and orientation of the catalog, and differs from its reference by less than 2 levels for a JPEG, not at all
// else; but for oddExceptions. Every other file but oddAccepted is refused with a reason, for little memory. TestOddImages compares all
// pixels with Pillow's.
func TestOddCatalog(t *testing.T) {
	root := filepath.Join(dataDir(t), "odd", "images")
	f, err := os.Open(filepath.Join(root, "catalog.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]string{"JPEG": "jpeg", "MPO": "jpeg", "PNG": "png", "GIF": "gif", "BMP": "bmp", "WEBP": "webp"}
	accepted, refused, exceptions, compared := 0, 0, 0, 0
	var slowest time.Duration
	var largest int64
	worst := 0.0
	for _, r := range rows[1:] {
		name, format, size, tag, fault := r[0], r[3], r[5], r[6], r[7]
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		var m *raster.RGB
		var info raster.Info
		start := time.Now()
		bytes := allocated(func() { m, info, err = raster.Decode(data, raster.DefaultLimits()) })
		took := time.Since(start)
		want, reason := ours[format], oddExceptions[name]
		switch {
		case want != "" && fault == "" && reason == "":
			accepted++
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if tag == "" || tag == "0" { // 0: none of the tag's values
				tag = "1"
			}
			if got := fmt.Sprintf("%dx%d", m.Width, m.Height); got != size || info.Format != want || fmt.Sprint(info.Orientation) != tag {
				t.Errorf("%s: got %s %s orientation %d, want %s %s orientation %s", name, info.Format, got, info.Orientation, want, size, tag)
			}
			ref := reference(t, filepath.Join(root, name), data, info.Notes)
			if ref == nil || len(ref.Pix) != len(m.Pix) {
				t.Logf("%s: no reference", name)
				continue
			}
			compared++
			d := meanDifference(m.Pix, ref.Pix)
			worst = max(worst, d)
			if d > 0 && (want != "jpeg" || d >= 2) {
				t.Errorf("%s: mean difference %.3f", name, d)
			}
		case err == nil && oddAccepted[name] != "":
			if exceptions++; !slices.Contains(info.Notes, oddAccepted[name]) {
				t.Errorf("%s: got notes %v, want %s", name, info.Notes, oddAccepted[name])
			}
		case err == nil:
			t.Errorf("%s: accepted; the catalog says %s %s", name, format, fault)
		case reason != "":
			exceptions++
			if !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: got %v, want %q", name, err, reason)
			}
		default:
			refused++
			slowest, largest = max(slowest, took), max(largest, bytes)
			// A refusal may cost what the file itself would, and no more: most end at the header.
			if limit := int64(16<<20) + 64*int64(len(data)); bytes > limit {
				t.Errorf("%s: refused (%v) for %d bytes of memory, want at most %d", name, err, bytes, limit)
			}
		}
	}
	want := len(oddExceptions) + len(oddAccepted)
	t.Logf("%d accepted (%d compared, mean difference at most %.3f), %d refused (at most %v and %d KB each), %d exceptions", accepted, compared, worst, refused, slowest, largest>>10, exceptions)
	if accepted < 200 || compared < 190 || exceptions != want {
		t.Errorf("accepted %d, compared %d, exceptions %d of %d", accepted, compared, exceptions, want)
	}
}

func meanDifference(a, b []uint8) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}

// The whole odd tree, pictures and XML, through ingest as a folder: every picture is a record or a skip with a reason, the result can be
// written, and nothing stops the run.
func TestOddFolder(t *testing.T) {
	req := Request{Dataset: "x", Class: Horse(), Folders: []string{filepath.Join(dataDir(t), "odd")}, Options: Defaults(), Workers: 2, Version: "test"}
	res, _ := mustIngest(t, req)
	if res.Kept < 150 || res.Read != res.Kept+res.Dropped {
		t.Errorf("read %d, kept %d, dropped %d", res.Read, res.Kept, res.Dropped)
	}
	why := map[string]int{}
	for _, s := range res.Manifest.Skipped {
		why[s.Reason]++
		if s.Detail == "" {
			t.Errorf("%s: %s without a detail", s.Record, s.Reason)
		}
	}
	t.Log("read", res.Read, "kept", res.Kept, "dropped", res.Dropped, why, res.Other, res.Warnings)
}
