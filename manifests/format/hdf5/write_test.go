package hdf5

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files of no, one and many datasets (a B-tree of three levels) are read back. That h5py and
// h5dump read them too is tested by the HDSeg export.
func TestReadBack(t *testing.T) {
	for _, n := range []int{0, 1, 8, 9, 256, 257, 9000} {
		name := filepath.Join(t.TempDir(), "x.h5")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w := NewWriter(f)
		for i := range n { // from the last to the first: Close sorts
			k := n - 1 - i
			switch k % 4 {
			case 0:
				w.Int64s(fmt.Sprintf("d%06d", k), []int64{int64(k), -1, 1 << 40, 3, 4, 5}, 3, 2)
			case 1:
				w.Float32s(fmt.Sprintf("d%06d", k), []float32{float32(k), -0.25}, 2)
			case 2:
				w.String(fmt.Sprintf("d%06d", k), strings.Repeat("ä", k%3000))
			case 3:
				w.Int64s(fmt.Sprintf("d%06d", k), nil, 0, 2)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		st, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(f, st.Size())
		if err != nil {
			t.Fatalf("%d datasets: %v", n, err)
		}
		names, err := r.List("")
		if err != nil || len(names) != n {
			t.Fatalf("got %d names, %v; want %d", len(names), err, n)
		}
		for k, name := range names {
			d, err := r.Dataset(name)
			if err != nil || name != fmt.Sprintf("d%06d", k) {
				t.Fatalf("%d: %s: %v", k, name, err)
			}
			ok := false
			switch k % 4 {
			case 0:
				v, _ := d.Ints()
				ok = slices.Equal(v, []int64{int64(k), -1, 1 << 40, 3, 4, 5}) && slices.Equal(d.Shape, []int{3, 2})
			case 1:
				b, _ := d.raw()
				ok = len(b) == 8 && math.Float32frombits(le.Uint32(b)) == float32(k) && math.Float32frombits(le.Uint32(b[4:])) == -0.25
			case 2:
				v, _ := d.Strings()
				ok = slices.Equal(v, []string{strings.Repeat("ä", k%3000)}) && len(d.Shape) == 0
			case 3:
				ok = d.Len() == 0 && slices.Equal(d.Shape, []int{0, 2})
			}
			if !ok {
				t.Fatalf("%s: shape %v: other values", name, d.Shape)
			}
		}
		f.Close()
	}
}

// What a file cannot hold is an error of Close; a shape that does not fit is the caller's bug.
func TestRefusals(t *testing.T) {
	for name, use := range map[string]func(*Writer){
		"twice":     func(w *Writer) { w.String("a", "x"); w.String("a", "y") },
		"slash":     func(w *Writer) { w.String("a/b", "x") },
		"no name":   func(w *Writer) { w.Int64s("", []int64{1}) },
		"zero byte": func(w *Writer) { w.String("a", "x\x00y") },
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "x.h5"))
		if err != nil {
			t.Fatal(err)
		}
		w := NewWriter(f)
		use(w)
		if w.Close() == nil {
			t.Errorf("%s: no error", name)
		}
		f.Close()
	}
	defer func() {
		if recover() == nil {
			t.Error("a shape that does not fit: no panic")
		}
	}()
	NewWriter(&os.File{}).Int64s("a", []int64{1, 2}, 3)
}
