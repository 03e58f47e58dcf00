package ingest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A picture and its mask find each other though a system has changed how the accent is written; the record keeps the
// picture's bytes; two pictures whose names only differ in that are one name twice.
func TestAccentsInNames(t *testing.T) {
	const composed, combining = "caf\u00e9", "cafe\u0301"
	res := wantSkips(t, folderOf(t, member{"images/" + composed + ".jpg", jpegBytes(40, 30, 1)}, member{"masks/" + combining + ".png", grayMask(40, 30, 0, 255)}))
	if r := record(t, res, "caf%C3%A9"); r.Tier != manifests.Manual || r.Image.Origin[len(r.Image.Origin)-len(composed)-4:] != composed+".jpg" {
		t.Errorf("got %+v", r)
	}
	res = wantSkips(t, folderOf(t, member{"images/" + composed + ".jpg", jpegBytes(40, 30, 1)}, member{"images/" + combining + ".jpg", jpegBytes(40, 30, 2)}),
		"caf%C3%A9 duplicate_id")
	if res.Kept != 1 {
		t.Errorf("kept %d", res.Kept)
	}
}

// A path that is too long for a file name becomes an id that is not, different for different paths; picture, mask and boxes find each
// other all the same, and stored paths stay below 260 bytes.
func TestLongNames(t *testing.T) {
	deep := strings.Repeat("d/", 100) + "x" // 100 * 4 + 1 bytes with %2F
	word := strings.Repeat("\u99ac", 100)   // 300 bytes, of which each becomes three; a system takes at most 255, an archive more
	near := word[:297] + "\u99ad"           // another name with the same beginning
	fits := strings.Repeat("\u99ac", 20)    // 20 * 9 = 180 bytes: as it is
	files := tarOf(member{"images/" + deep + ".jpg", jpegBytes(40, 30, 1)}, member{"masks/" + deep + ".png", grayMask(40, 30, 0, 255)},
		member{"images/" + word + ".jpg", jpegBytes(40, 30, 2)}, member{"masks/" + word + ".png", grayMask(40, 30, 0, 0, 255)},
		member{"images/" + near + ".jpg", jpegBytes(40, 30, 3)}, member{"images/" + fits + ".jpg", jpegBytes(40, 30, 4)},
		member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n" + near + ".jpg,1,2,3,4\n")})
	res := wantSkips(t, Request{Dataset: "x", Class: Horse(), Folders: []string{archiveFile(t, "x.tar", files)}, Options: Defaults(), Workers: 1, Version: "test"})
	byOrigin := map[string]manifests.Record{}
	for _, r := range res.Manifest.Records {
		byOrigin[strings.TrimSuffix(strings.TrimPrefix(r.Image.Origin, "x.tar!images/"), ".jpg")] = r
		for _, p := range append(r.Masks, manifests.Mask{Path: r.Image.Path}) {
			if len(p.Path) >= 260 {
				t.Errorf("%s: %d bytes", p.Path, len(p.Path))
			}
		}
	}
	escaped := func(s string) (out string) {
		for i := range len(s) {
			out += fmt.Sprintf("%%%02X", s[i])
		}
		return out
	}
	for name, want := range map[string]struct {
		start string
		bytes int
		tier  manifests.Tier
	}{
		deep: {strings.Repeat("d%2F", 40) + "d-", 178, manifests.Manual}, // 163 bytes would end in d%2
		word: {escaped(word)[:162] + "-", 179, manifests.Manual},         // a whole number of %XX
		near: {escaped(word)[:162] + "-", 179, manifests.BBox},
		fits: {escaped(fits), 180, manifests.Label},
	} {
		if r := byOrigin[name]; !strings.HasPrefix(r.ID, want.start) || len(r.ID) != want.bytes || r.Tier != want.tier {
			t.Errorf("%.20s: got %s (%d bytes, %s), want %s... (%d bytes, %s)", name, r.ID, len(r.ID), r.Tier, want.start, want.bytes, want.tier)
		}
	}
	if byOrigin[word].ID == byOrigin[near].ID || res.Kept != 4 {
		t.Errorf("kept %d, two of one id: %v", res.Kept, byOrigin[word].ID == byOrigin[near].ID)
	}
}

// Backslashes in tables and JSON lead to the same files as slashes, and none is stored.
func TestBackslashesInNames(t *testing.T) {
	res := wantSkips(t, cocoRequest(t, strings.Replace(cocoB, "sub/b", `sub\\b`, 1), `{"id": 1, "image_id": 11, "category_id": 2, "segmentation": [[1,1,3,1,3,3]]}`))
	if r := record(t, res, "sub%2Fb"); strings.Contains(r.Image.Path+r.Image.Origin, `\`) {
		t.Errorf("got %+v", r.Image)
	}
	res = wantSkips(t, folderOf(t, member{"images/s/p.jpg", jpegBytes(40, 30, 1)}, member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n" + `images\s\p.jpg,1,2,3,4` + "\n")}))
	if r := record(t, res, "s%2Fp"); r.Tier != manifests.BBox {
		t.Errorf("got %+v", r)
	}
}

// Names whose bytes are not UTF-8 do not reach the manifest as they are: it can be written and read.
func TestNamesThatAreNotUTF8(t *testing.T) {
	req := folderOf(t, member{"images/a\xff.jpg", jpegBytes(40, 30, 1)}, member{"images/b\xfe\x01.jpg", []byte("no picture")})
	req.ImageNet = []string{archiveFile(t, "x.tar", tarOf(member{"\xff.JPEG", nil}, member{"n02374451_1.JPEG", jpegBytes(40, 30, 2)}))}
	res, store := mustIngest(t, req)
	if got := reasons(res); !slices.Equal(got, []string{"b%FE%01 not_a_picture", "x.tar!%FF.JPEG bad_name"}) {
		t.Errorf("got %q", got)
	}
	if r := record(t, res, "a%FF"); !strings.HasSuffix(r.Image.Origin, "/images/a%FF.jpg") {
		t.Errorf("got %q", r.Image.Origin)
	}
	if _, err := manifests.Write(store, "stages/ingest", res.Manifest); err != nil {
		t.Fatal(err)
	}
	if _, _, err := manifests.Read(store, "stages/ingest"); err != nil {
		t.Error(err)
	}
	if err := res.WriteLists(store, "stages/ingest"); err != nil {
		t.Error(err)
	}
}

// VOC's may be anything, and become ids like other names.
func TestStatedIds(t *testing.T) {
	req := world(t)
	v := filepath.Join(req.VOC[0], "VOC2012")
	plant(t, v, member{"ImageSets/Segmentation/trainval.txt", []byte("2007_000001 1\nb:c -1\n\n2008_00000\n2007_000001\n")},
		member{"JPEGImages/b:c.jpg", jpegBytes(40, 30, 1)}, member{"SegmentationClass/b:c.png", vocMask(40, 30, 13)})
	res := wantSkips(t, req, "2008_00000 missing_image", "VOCdevkit/VOC2012/ImageSets/Segmentation/trainval.txt mask_not_listed")
	if n, again := res.Other["mask_not_listed"], res.Other["listed_twice"]; n != 2 || again != 1 {
		t.Errorf("got %d masks that are not listed and %d names twice, want 2 and 1", n, again)
	}
	if r := record(t, res, "b%3Ac"); r.Tier != manifests.Manual || r.Source != "voc2012" {
		t.Errorf("got %+v", r)
	}
}

// A damaged PAX record is an error that names the archive.
func TestMalformedPAX(t *testing.T) {
	for _, record := range []string{"30 mtime=99999999999999999999\n", "9999 path=x\n", "-1 path=x\n", "6 path\n", "\x00\xff"} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: "PaxHeaders.0/x", Typeflag: tar.TypeReg, Size: int64(len(record)), Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(record))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data := b.Bytes()
		data[156] = 'x' // a PAX header
		copy(data[148:156], "        ")
		sum := 0
		for _, c := range data[:512] {
			sum += int(c)
		}
		copy(data[148:], []byte{byte('0' + sum>>15&7), byte('0' + sum>>12&7), byte('0' + sum>>9&7), byte('0' + sum>>6&7), byte('0' + sum>>3&7), byte('0' + sum&7), 0, ' '})
		if _, _, err := walkAll(t, archiveFile(t, "x.tar", data), false); err == nil || !strings.Contains(err.Error(), "x.tar") {
			t.Errorf("%q: got %v", record, err)
		}
	}
}
