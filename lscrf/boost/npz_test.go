package boost

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"testing"
)

// writeNPZ writes named float32 arrays of n rows as numpy's savez does.
func writeNPZ(t testing.TB, file string, arrays map[string][]float32, rows map[string]int) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, v := range arrays {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		shape := fmt.Sprintf("(%d,)", rows[name])
		if cols := len(v) / rows[name]; cols > 1 {
			shape = fmt.Sprintf("(%d, %d)", rows[name], cols)
		}
		writeNPY(t, w, shape, v)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeNPY writes one array: magic and version 1.0, a padded header, the numbers
// (numpy.lib.format).
func writeNPY(t testing.TB, w io.Writer, shape string, v []float32) {
	t.Helper()
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape)
	for (len(head)+11)%64 != 0 {
		head += " "
	}
	head += "\n"
	start := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	if _, err := w.Write(append(start, head...)); err != nil {
		t.Fatal(err)
	}
	for len(v) > 0 {
		part := v[:min(len(v), 1<<20)]
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
		v = v[len(part):]
	}
}
