package peer

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"testing"
)

// An Array is numbers, []float32, []int32 or []uint8, in rows of some columns; 1 makes a vector.
type Array struct {
	Name    string
	Columns int
	Data    any
}

// WriteNPZ writes arrays as numpy's savez does.
func WriteNPZ(t testing.TB, file string, arrays ...Array) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, a := range arrays {
		w, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
		if err == nil {
			err = a.write(w)
		}
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// write writes magic and version 1.0, a padded header, the numbers (numpy.lib.format).
func (a Array) write(w io.Writer) error {
	var n int
	var kind string
	switch v := a.Data.(type) {
	case []float32:
		n, kind = len(v), "<f4"
	case []int32:
		n, kind = len(v), "<i4"
	case []uint8:
		n, kind = len(v), "|u1"
	default:
		return fmt.Errorf("numbers of type %T", a.Data)
	}
	shape := fmt.Sprintf("(%d,)", n)
	if a.Columns > 1 {
		shape = fmt.Sprintf("(%d, %d)", n/a.Columns, a.Columns)
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	for (len(head)+11)%64 != 0 {
		head += " "
	}
	head += "\n"
	start := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	if _, err := w.Write(append(start, head...)); err != nil {
		return err
	}
	// In parts: binary.Write encodes all that it is given at once.
	if v, ok := a.Data.([]float32); ok {
		for ; len(v) > 0; v = v[min(len(v), 1<<20):] {
			if err := binary.Write(w, binary.LittleEndian, v[:min(len(v), 1<<20)]); err != nil {
				return err
			}
		}
		return nil
	}
	return binary.Write(w, binary.LittleEndian, a.Data)
}
