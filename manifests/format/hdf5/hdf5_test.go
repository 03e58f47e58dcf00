package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files of testdata were written by h5py 3.16 with HDF5 2.0 (.ci/readback_ingest.py hdf5 testdata 3): with its defaults, and with
// defaults after a user block of 512 bytes, as MATLAB writes. Both hold the same.
var variants = []string{"earliest", "matlab"}

func open(t testing.TB, file string) *File {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func each(t *testing.T, test func(t *testing.T, f *File)) {
	for _, v := range variants {
		t.Run(v, func(t *testing.T) { test(t, open(t, filepath.Join("testdata", v+".h5"))) })
	}
}

func get(t testing.TB, f *File, name string) *Dataset {
	t.Helper()
	d, err := f.Dataset(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ints(t testing.TB, f *File, name string) []int64 {
	t.Helper()
	v, err := get(t, f, name).Ints()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestNumbers(t *testing.T) {
	each(t, func(t *testing.T, f *File) {
		for name, want := range map[string][]int64{
			"kinds/int8": {-1, 2}, "kinds/int32": {-5, 6, 7}, "kinds/bool": {1, 0}, "kinds/none": {},
		} {
			if got := ints(t, f, name); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", name, got, want)
			}
		}
		if d := get(t, f, "kinds/int32"); !slices.Equal(d.Shape, []int{1, 3}) {
			t.Errorf("int32: got shape %v", d.Shape)
		}
		for _, name := range []string{"kinds/float64be", "kinds/uint16be"} {
			if _, err := f.Dataset(name); err == nil || !strings.Contains(err.Error(), "want little-endian integers") {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if _, err := get(t, f, "kinds/texts").Ints(); err == nil {
			t.Error("texts are no numbers")
		}
	})
}

func TestStrings(t *testing.T) {
	each(t, func(t *testing.T, f *File) {
		for name, want := range map[string][]string{"kinds/fixed": {"ab", "cde"}, "kinds/texts": {"one", "", "drei ä"}} {
			if got, err := get(t, f, name).Strings(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
		if _, err := get(t, f, "kinds/int8").Strings(); err == nil {
			t.Error("numbers are no strings")
		}
	})
}

// Element i of these is i; shapes that chunks do not divide, filters, holes.
func TestChunks(t *testing.T) {
	each(t, func(t *testing.T, f *File) {
		for _, name := range []string{"chunked", "plain", "single", "many"} {
			got := ints(t, f, "kinds/"+name)
			if name == "many" && len(got) != 3000 || name != "many" && len(got) != 7*11*3 {
				t.Fatalf("%s: got %d elements", name, len(got))
			}
			for i, v := range got {
				if want := int64(i); v != want && !(name == "many" && v == want&255) {
					t.Fatalf("%s: element %d: got %d", name, i, v)
				}
			}
		}
		if _, err := get(t, f, "kinds/holes").Ints(); err == nil || !strings.Contains(err.Error(), "not written") {
			t.Errorf("holes: got %v", err)
		}
	})
}

// The layout of ImageNet-Segmentation's file: references to pictures, and to cells that refer to masks.
func TestReferences(t *testing.T) {
	each(t, func(t *testing.T, f *File) {
		refs, err := get(t, f, "value/gt").Refs()
		if err != nil || len(refs) != 2 {
			t.Fatalf("got %v, %v", refs, err)
		}
		cell, err := f.Deref(refs[1])
		if err != nil {
			t.Fatal(err)
		}
		inner, err := cell.Refs()
		if err != nil || len(inner) != 1 {
			t.Fatalf("got %v, %v", inner, err)
		}
		mask, err := f.Deref(inner[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := mask.Bytes()
		if err != nil || !slices.Equal(mask.Shape, []int{4, 5}) || b[0] != 0 || b[1] != 1 || b[4] != 1 {
			t.Errorf("got %v, %v", b, err)
		}
		if _, err := get(t, f, "kinds/int8").Refs(); err == nil {
			t.Error("numbers are no references")
		}
	})
}

func TestGroups(t *testing.T) {
	each(t, func(t *testing.T, f *File) {
		root, err := f.List("")
		if err != nil || len(root) != 3*7+3 || !slices.IsSorted(root) || root[0] != "#refs#" {
			t.Fatalf("got %v, %v", root, err)
		}
		if got, err := f.List("kinds"); err != nil || len(got) != 15 {
			t.Errorf("got %v, %v", got, err)
		}
		if _, err := f.Dataset("kinds/nothing"); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
		if _, err := f.Dataset("kinds"); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("a group: got %v", err)
		}
		if _, err := f.List("kinds/int8"); err == nil {
			t.Error("a dataset was listed")
		}
	})
}

// python finds an interpreter with h5py, or skips.
func python(t testing.TB) string {
	t.Helper()
	for _, p := range []string{os.Getenv("HDSEG_PYTHON"), "python3", "/usr/bin/python3"} {
		if p != "" && exec.Command(p, "-c", "import h5py, numpy").Run() == nil {
			return p
		}
	}
	t.Skip("SKIPPED: no Python with h5py: set HDSEG_PYTHON")
	return ""
}

// Files that h5py writes now, with groups large enough for trees and heaps of several levels.
func TestAgainstH5py(t *testing.T) {
	p := python(t)
	dir := t.TempDir()
	const n = 900 // images: 6300 links
	if out, err := exec.Command(p, filepath.Join("..", "..", "..", ".ci", "readback_ingest.py"), "hdf5", dir, fmt.Sprint(n)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, v := range variants {
		f := open(t, filepath.Join(dir, v+".h5"))
		names, err := f.List("")
		if err != nil || len(names) != 7*n+3 {
			t.Fatalf("%s: got %d names, %v", v, len(names), err)
		}
		for i := range n {
			if got := ints(t, f, fmt.Sprintf("superpixel_count_%06d", i)); got[0] != int64(2+i%3) {
				t.Fatalf("%s: image %d: got %v", v, i, got)
			}
			s, err := get(t, f, fmt.Sprintf("image_name_%06d", i)).Strings()
			if err != nil || s[0] != fmt.Sprintf("imga_2007_%06d.png", i) {
				t.Fatalf("%s: image %d: got %v, %v", v, i, s, err)
			}
			x, err := get(t, f, fmt.Sprintf("features_%06d", i)).raw()
			if err != nil || len(x) != 4*5*(2+i%3) || math.Float32frombits(le.Uint32(x[12:])) != float32(3+i)/4 {
				t.Fatalf("%s: image %d: got %v, %v", v, i, x, err)
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"empty": "", "no signature": strings.Repeat("x", 2000), "cut": signature, "version": signature + "\x09" + strings.Repeat("\x00", 100),
		"sizes": signature + "\x00\x00\x00\x00\x00\x03\x08" + strings.Repeat("\x00", 100),
	} {
		if _, err := Open(strings.NewReader(data), int64(len(data))); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The newest layout is refused by name, with the remedy.
func TestNewest(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "small-latest.h5"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(bytes.NewReader(data), int64(len(data))); err == nil || !strings.Contains(err.Error(), "superblock: version 3 is not read: copy") {
		t.Errorf("got %v", err)
	}
}

// A limit keeps a small file from asking for much memory.
func TestMaxRead(t *testing.T) {
	f := open(t, filepath.Join("testdata", "earliest.h5"))
	f.MaxRead = 900
	if _, err := get(t, f, "kinds/chunked").Ints(); err == nil || !strings.Contains(err.Error(), "more than 900 bytes") {
		t.Errorf("got %v", err)
	}
	if _, err := get(t, f, "kinds/int8").Ints(); err != nil {
		t.Error(err)
	}
}

// readAll reads whatever a file has, for the fuzz test.
func readAll(f *File, path string, depth int) {
	names, err := f.List(path)
	if err != nil || depth > 3 {
		return
	}
	for i, n := range names {
		if i > 50 {
			return
		}
		p := strings.TrimPrefix(path+"/"+n, "/")
		d, err := f.Dataset(p)
		if err != nil {
			readAll(f, p, depth+1)
			continue
		}
		d.Ints()
		d.Strings()
		if refs, err := d.Refs(); err == nil {
			for _, r := range refs[:min(len(refs), 5)] {
				if d, err := f.Deref(r); err == nil {
					d.Bytes()
				}
			}
		}
	}
}

func FuzzHDF5(f *testing.F) {
	for _, v := range []string{"small-earliest", "small-latest"} { // of .ci/readback_ingest.py small testdata
		data, err := os.ReadFile(filepath.Join("testdata", v+".h5"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		h.MaxRead = 1 << 20
		readAll(h, "", 0)
	})
}

// Nodes of a tree that all lead to the same next node: 40^9 ways for a reader that follows each.
func TestManyWays(t *testing.T) {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	const header, heap, names, first, children, node = superblockSize, 136, 168, 176, 40, 24 + 40*16
	put(superblock(root{header: header}, 9999))
	put(objectHeader(message{symbolTableMessage, le.AppendUint64(le.AppendUint64(nil, first), heap)}))
	put([]byte("HEAP"), uint32(0), uint64(8), uint64(0), uint64(names))
	put(make([]byte, first-b.Len()))
	for level := 8; level >= 0; level-- {
		put([]byte("TREE"), uint8(0), uint8(level), uint16(children), uint64(undefined), uint64(undefined))
		for range children {
			put(uint64(0), uint64(0))
		}
	}
	put([]byte("SNOD"), []uint8{1, 0, 0, 0}, make([]byte, 64)) // nothing in it
	data := b.Bytes()
	for i := range 9 { // every child of node i is node i+1
		for k := range children {
			binary.LittleEndian.PutUint64(data[first+i*node+32+16*k:], uint64(first+(i+1)*node))
		}
	}
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(""); err == nil || !strings.Contains(err.Error(), "circles") {
		t.Errorf("got %v", err)
	}
}
