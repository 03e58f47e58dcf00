package ingest

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// writings are one text as programs of several systems write it.
func writings(t *testing.T, s string) map[string][]byte {
	t.Helper()
	utf16 := func(e unicode.Endianness, s string) []byte {
		b, err := unicode.UTF16(e, unicode.UseBOM).NewEncoder().Bytes([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return map[string][]byte{
		"plain": []byte(s), "mark": []byte("\xef\xbb\xbf" + s), "windows": []byte("\xef\xbb\xbf" + strings.ReplaceAll(s, "\n", "\r\n")), "old mac": []byte(strings.ReplaceAll(s, "\n", "\r")),
		"utf-16, little": utf16(unicode.LittleEndian, strings.ReplaceAll(s, "\n", "\r\n")), "utf-16, big": utf16(unicode.BigEndian, s),
	}
}

// Lists, label maps and regions are read alike in every writing.
func TestWritings(t *testing.T) {
	for name, data := range writings(t, "a é\n\n b\n") {
		got, err := format.PlainText(data)
		if err != nil || string(got) != "a é\n\n b\n" || !slices.Equal(listed(got), []string{"a", "b"}) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{"a\x00\n\x00", "\x00a\x00\n"} {
		if _, err := format.PlainText([]byte(bad)); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	for name, data := range writings(t, "2007_000001\n2008_000002\n2008_000003\n") {
		req := world(t)
		plant(t, req.VOC[0], member{"VOC2012/ImageSets/Segmentation/trainval.txt", data}, member{"VOC2012/labelmap.txt", writings(t, "background:0,0,0::\nhorse:192,0,128::\n"+others)[name]})
		if res := wantSkips(t, req); res.Kept != 8 {
			t.Errorf("%s: kept %d of the pictures of a list, want 8", name, res.Kept)
		}
	}
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/ImageSets/Segmentation/trainval.txt", []byte("2\x000\x00")})
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "trainval.txt: got zero bytes") {
		t.Errorf("UTF-16 without a mark: got %v", err)
	}
	for name, data := range writings(t, "0 1 -1\n7 8 9\n") {
		file := filepath.Join(plant(t, t.TempDir(), member{"a.regions.txt", data}), "a.regions.txt")
		m, _, err := readMask(&entry{file: file, size: int64(len(data))}, raster.DefaultLimits(), decodeRegions)
		if err != nil || m.Width != 3 || m.Height != 2 || !bytes.Equal(m.Pix, []byte{0, 1, 255, 7, 8, 9}) {
			t.Errorf("%s: got %+v, %v", name, m, err)
		}
	}
}

// A list may write an accent otherwise than the system that copied the files, and the other way round.
func TestListedAccents(t *testing.T) {
	const composed, combining = "caf\u00e9", "cafe\u0301"
	for list, file := range map[string]string{composed: combining, combining: composed} {
		req := world(t)
		v := "VOC2012/"
		plant(t, req.VOC[0], member{v + "ImageSets/Segmentation/trainval.txt", []byte("2007_000001\n2008_000002\n2008_000003\n" + list + "\n")},
			member{v + "JPEGImages/" + file + ".jpg", jpegBytes(40, 30, 9)}, member{v + "SegmentationClass/" + list + ".png", vocMask(40, 30, 13)})
		res := wantSkips(t, req)
		record(t, res, safeID(list))
		if len(res.Aside) != 1 { // the box of a picture that is missing
			t.Errorf("left aside %v", res.Aside)
		}
	}
}

// A name that a list has twice is one picture, and said once.
func TestListedTwice(t *testing.T) {
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/ImageSets/Segmentation/trainval.txt", []byte("2007_000001\n2008_000002\n2007_000001\n2008_000003\n2007_000001\n")})
	res := wantSkips(t, req)
	if res.Dropped != 0 || res.Kept != 8 || !slices.Contains(res.Aside, Aside{"listed_twice", "VOCdevkit/VOC2012/ImageSets/Segmentation/trainval.txt: 2007_000001"}) {
		t.Errorf("dropped %d, kept %d, left aside %v", res.Dropped, res.Kept, res.Aside)
	}
}
