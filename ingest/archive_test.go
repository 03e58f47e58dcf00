package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

func zipOf(t testing.TB, members ...member) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err == nil {
			_, err = f.Write(m.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bz2 is a tar with one file a.txt of one byte "1", as Python's bz2 packs it, in base64.
const bz2 = "QlpoOTFBWSZTWcTTKtEAAG3bgMmAYAFngAAIYAAeQAgIIABUQgNADIyCSRNMCZGjTf+zHIQU4BCLNnqRCkuUCGBjNniewjxwg9tJdLkUHgZ4VmVp0ERAPi7kinChIYmmVaI="

// What a file holds decides, not its name: tars, gzipped and zipped ones are read under any name, and archives of other formats are said to be lost.
func TestArchivesByContent(t *testing.T) {
	picture := func(i int) member { return member{"n02374451_" + string(rune('0'+i)) + ".JPEG", jpegBytes(40, 30, i)} }
	req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 1, Version: "test"}
	req.ImageNet = []string{plant(t, t.TempDir(), member{"noext", tarOf(picture(1))}, member{"noextgz.gz", gz(tarOf(picture(2)))}, member{"y.zip", zipOf(t, picture(3), member{"../evil.jpg", nil})},
		member{"z.tar.xz", []byte("\xfd7zXZ\x00rest")}, member{"readme.gz", gz([]byte("no tar"))}, member{".hidden/" + picture(4).name, picture(4).data}, member{"h.tar", tarOf(member{".hidden/" + picture(5).name, picture(5).data})})}
	res := wantSkips(t, req, "001/y.zip!../evil.jpg unsafe_member", "001/z.tar.xz unsupported_archive")
	if res.Kept != 5 || res.Dropped != 2 || !strings.Contains(res.Manifest.Skipped[1].Detail, "xz") || !strings.Contains(res.Manifest.Skipped[1].Detail, "unpack it") {
		t.Errorf("kept %d, dropped %d, %v", res.Kept, res.Dropped, res.Manifest.Skipped)
	}
	if !slices.ContainsFunc(res.Aside, func(a Aside) bool { return strings.HasSuffix(a.Name, "readme.gz") }) {
		t.Errorf("aside: got %v", res.Aside)
	}
	data, err := base64.StdEncoding.DecodeString(bz2)
	if err != nil {
		t.Fatal(err)
	}
	if files, _, err := walkAll(t, archiveFile(t, "x", data), false); err != nil || !slices.Equal(files, []string{"a.txt=1"}) {
		t.Errorf("bzip2: got %v, %v", files, err)
	}
}

// What lies among boxes and is not read is listed; an archive that is lost counts for --max-skip.
func TestBoxArchives(t *testing.T) {
	req := imageNetOf(t, []member{{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}}, []member{{"b.tar.gz", gz(tarOf(member{"in.tar.xz", []byte("\xfd7zXZ\x00")}, member{"notes", []byte("x")}))}})
	res := wantSkips(t, req, "003 no_boxes", "003/b.tar.gz!in.tar.xz unsupported_archive")
	if res.Dropped != 1 || !slices.ContainsFunc(res.Aside, func(a Aside) bool { return strings.HasSuffix(a.Name, "!notes") }) {
		t.Errorf("dropped %d, aside %v", res.Dropped, res.Aside)
	}
}

// A compressed archive that holds more than is allowed ends the run before the disk is full; the message names the setting.
func TestUnpackedLimit(t *testing.T) {
	req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 1, Version: "test"}
	req.ImageNet = []string{archiveFile(t, "x.tar.gz", gz(tarOf(member{"n02374451_1.JPEG", make([]byte, 1<<22)})))}
	defer func(n int64) { maxUnpacked = n }(maxUnpacked)
	maxUnpacked = 1 << 20
	for _, lax := range []bool{false, true} { // too much is not cut short
		req.Options.AllowTruncated = lax
		if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "unpack it yourself") {
			t.Errorf("lax %v: got %v", lax, err)
		}
	}
	// two sources share the limit, of which each needs less
	half := gz(tarOf(member{"n02374451_1.JPEG", make([]byte, 600<<10)}))
	req.ImageNet = []string{archiveFile(t, "a.tar.gz", half)}
	if _, _, err := ingestOf(t, req); err != nil && strings.Contains(err.Error(), "unpack it yourself") {
		t.Errorf("one source of 600 KB: got %v", err)
	}
	req.ImageNet = append(req.ImageNet, archiveFile(t, "b.tar.gz", half))
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "unpack it yourself") {
		t.Errorf("two sources of 600 KB each: got %v", err)
	}
}

// The limit is of the whole source: archives inside archives share it, and so do those of one folder. Archives that are as large as what they
// hold are no concern.
func TestUnpackedLimitOfWhole(t *testing.T) {
	defer func(n int64) { maxUnpacked = n }(maxUnpacked)
	maxUnpacked = 1 << 20
	bomb := zipOf(t, member{"zeros.bin", make([]byte, 300<<10)}) // three fit
	for range 2 {
		var all []member
		for i := range 16 {
			all = append(all, member{fmt.Sprintf("%d.zip", i), bomb})
		}
		bomb = zipOf(t, all...)
	}
	walk := func(root string) (int64, error) {
		w, faults := testWalker(t, func(entry) error { return nil })
		temp := t.TempDir()
		w.spool = func() (*os.File, error) { return os.CreateTemp(temp, "") }
		err := w.walk(root)
		if len(*faults) > 0 {
			t.Errorf("got the faults %v", *faults)
		}
		var written int64
		list, _ := os.ReadDir(temp)
		for _, d := range list {
			st, _ := d.Info()
			written += st.Size()
		}
		return written, err
	}
	if n, err := walk(archiveFile(t, "x.zip", bomb)); !errors.As(err, new(errUnpacked)) || n > 2<<20 {
		t.Errorf("a zip of %d bytes with 256 in it: %d bytes were unpacked, %v", len(bomb), n, err)
	}
	one := zipOf(t, member{"zeros.bin", make([]byte, 300<<10)})
	if n, err := walk(plant(t, t.TempDir(), member{"a.zip", one}, member{"b.zip", one}, member{"c.zip", one}, member{"d.zip", one})); !errors.As(err, new(errUnpacked)) || n > 2<<20 {
		t.Errorf("four zips in a folder: %d bytes were unpacked, %v", n, err)
	}
	noise := make([]byte, 800<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	one = zipOf(t, member{"noise.bin", noise})
	if _, err := walk(plant(t, t.TempDir(), member{"a.zip", one}, member{"b.zip", zipOf(t, member{"c.zip", one})})); err != nil {
		t.Errorf("incompressible archives: %v", err)
	}
}

// What follows a gzip stream: another stream belongs to it, zeros are padding, the rest is said.
func TestGzipGarbage(t *testing.T) {
	whole := tarOf(member{"a.txt", []byte("1")})
	for rest, faults := range map[string]int{"": 0, string(make([]byte, 600)): 0, "rubbish": 1, string(gz(make([]byte, 512))): 0} {
		files, got, err := walkAll(t, archiveFile(t, "x.tgz", append(gz(whole), rest...)), false)
		if err != nil || len(files) != 1 || len(got) != faults {
			t.Errorf("%.10q: got %v, %v, %v", rest, files, got, err)
		}
	}
}

// A zip that is encrypted, or compressed in a way that is not read, is said to be so, and is no error: as archives of other formats.
func TestForeignZips(t *testing.T) {
	whole := zipOf(t, member{"a.txt", []byte("1")})
	local, central := 0, bytes.Index(whole, []byte("PK\x01\x02"))
	for what, put := range map[string]func(b []byte){
		"encrypted": func(b []byte) { b[local+6] |= 1; b[central+8] |= 1 },
		"method 9":  func(b []byte) { b[local+8] = 9; b[central+10] = 9 },
	} {
		data := bytes.Clone(whole)
		put(data)
		w, faults := testWalker(t, func(entry) error { return nil })
		err := w.walk(archiveFile(t, "x.zip", data))
		if f := *faults; err != nil || len(f) != 1 || f[0].reason != "unsupported_archive" || !strings.HasPrefix(f[0].detail, "a.txt is ") || !strings.Contains(f[0].detail, what) {
			t.Errorf("%s: got %v, %v", what, f, err)
		}
	}
}

// What stands before or after a zip in its file is said; a comment and zeros are part of it.
func TestDataAroundZip(t *testing.T) {
	first, second := zipOf(t, member{"a.txt", []byte("1")}), zipOf(t, member{"folder/b.txt", []byte("2")})
	comment := bytes.Clone(first)
	comment[len(comment)-2] = 30
	for name, c := range map[string]struct {
		data   []byte
		file   string
		faults int
	}{
		"whole": {first, "a.txt=1", 0}, "comment": {slices.Concat(comment, []byte(strings.Repeat("c", 30))), "a.txt=1", 0}, "padded": {slices.Concat(first, make([]byte, 30)), "a.txt=1", 0},
		"garbage": {slices.Concat(first, []byte(strings.Repeat("x", 30))), "a.txt=1", 1}, "joined": {slices.Concat(first, second), "folder/b.txt=2", 1},
	} {
		files, faults, err := walkAll(t, archiveFile(t, "x.zip", c.data), false)
		if err != nil || !slices.Equal(files, []string{c.file}) || len(faults) != c.faults || c.faults > 0 && faults[0] != "x.zip data_after_end" {
			t.Errorf("%s: got %v, %v, %v", name, files, faults, err)
		}
	}
}
