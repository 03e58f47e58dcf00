// Package arraytest writes NumPy arrays for tests of what reads them.
package arraytest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

// NPY returns an array as NumPy writes it: descr, order and shape as they stand in its header, and
// values, a slice of numbers.
func NPY(descr, order, shape string, values any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := bytes.NewBufferString("\x93NUMPY\x01\x00")
	for _, v := range []any{uint16(len(header)), []byte(header), values} {
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err) // not a slice of numbers
		}
	}
	return b.Bytes()
}

// WriteMask writes an array of one channel and 12 x 16 cells, of a tall mask 16 x 12, 1 where the
// mask has figure, 0 elsewhere, into a file and the folders on its way.
func WriteMask(t *testing.T, file string, mask *raster.Mask) {
	t.Helper()
	width, height := 16, 12
	if mask.Height > mask.Width {
		width, height = height, width
	}
	small := raster.ResizeNearest(mask, width, height)
	values := make([]float32, len(small.Pix))
	for i, v := range small.Pix {
		if v == raster.Figure {
			values[i] = 1
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, NPY("<f4", "False", fmt.Sprintf("%d, %d, 1", height, width), values), 0o666); err != nil {
		t.Fatal(err)
	}
}
