package ingest

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Pitfall row 58: a picture and its mask find each other though a system has changed how the accent is written; the record keeps the
// picture's bytes; two pictures whose names only differ in that are one name twice.
func TestRow58Accents(t *testing.T) {
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

// Pitfall row 60: a name that no file system would take is refused by name, and does not end the run.
func TestRow60LongNames(t *testing.T) {
	long := strings.Repeat("d/", 100) + "x"
	res, _ := mustIngest(t, folderOf(t, member{"images/" + long + ".jpg", jpegBytes(40, 30, 1)}, member{"images/ok.jpg", jpegBytes(40, 30, 2)}))
	if s := res.Manifest.Skipped; len(s) != 1 || s[0].Reason != "bad_name" || !strings.Contains(s[0].Detail, "want at most 180") || res.Kept != 1 {
		t.Errorf("got %v, kept %d", s, res.Kept)
	}
}

// Pitfall row 61: backslashes in tables and JSON lead to the same files as slashes, and none is stored.
func TestRow61Backslashes(t *testing.T) {
	res := wantSkips(t, cocoRequest(t, strings.Replace(cocoB, "sub/b", `sub\\b`, 1), `{"id": 1, "image_id": 11, "category_id": 2, "segmentation": [[1,1,3,1,3,3]]}`))
	if r := record(t, res, "sub%2Fb"); strings.Contains(r.Image.Path+r.Image.Origin, `\`) {
		t.Errorf("got %+v", r.Image)
	}
	res = wantSkips(t, folderOf(t, member{"images/s/p.jpg", jpegBytes(40, 30, 1)}, member{"boxes.csv", []byte("image,xmin,ymin,xmax,ymax\n" + `images\s\p.jpg,1,2,3,4` + "\n")}))
	if r := record(t, res, "s%2Fp"); r.Tier != manifests.BBox {
		t.Errorf("got %+v", r)
	}
}

// Pitfall row 62: names whose bytes are not UTF-8 do not reach the manifest as they are: it can be written and read.
func TestRow62NotUTF8(t *testing.T) {
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

// Pitfall rows 55 and 56 where ids are stated by a list: VOC's may be anything, and only what can be a file name is used.
func TestRow56StatedIds(t *testing.T) {
	req := world(t)
	v := filepath.Join(req.VOC[0], "VOC2012")
	plant(t, v, member{"ImageSets/Segmentation/trainval.txt", []byte("2007_000001 1\nb:c -1\n\n2008_00000\n2007_000001\n")},
		member{"JPEGImages/b:c.jpg", jpegBytes(40, 30, 1)}, member{"SegmentationClass/b:c.png", vocMask(40, 30, 13)})
	wantSkips(t, req, "2007_000001 duplicate_id", "2008_00000 missing_image", "2008_000002 mask_not_listed", "2008_000003 mask_not_listed", "b:c bad_name")
}

// Pitfall row 67: a damaged PAX record is an error that names the archive.
func TestRow67MalformedPAX(t *testing.T) {
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
