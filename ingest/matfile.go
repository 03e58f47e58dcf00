package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf16"

	"hdseg/manifests/format/hdf5"
	"hdseg/manifests/raster"
)

// withHDF5 opens a file for one use: the reader is not safe for several goroutines, and opening it costs a read or two.
func withHDF5(file string, lim raster.Limits, use func(*hdf5.File) error) error {
	st, err := os.Stat(file)
	if err != nil {
		return pathless(err)
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("got %s, want a .mat file", fileKind(st.Mode()))
	}
	r, err := os.Open(file)
	if err != nil {
		return pathless(err)
	}
	defer r.Close()
	head := make([]byte, 512)
	n, _ := r.ReadAt(head, 0)
	if head = head[:n]; isArchive(head) {
		return errors.New("got an archive, want the .mat file itself: unpack it")
	}
	f, err := hdf5.Open(r, st.Size())
	if err != nil {
		return fmt.Errorf("got %s: %w", notMAT73(head), err)
	}
	f.MaxRead = min(lim.MaxBytes, 3*lim.MaxPixels)
	return use(f)
}

// matlabText reads a MATLAB string, an array of UTF-16 units.
func matlabText(f *hdf5.File, r hdf5.Ref) (string, error) {
	d, err := f.Deref(r)
	if err != nil {
		return "", err
	}
	v, err := d.Ints()
	if err != nil {
		return "", err
	}
	units := make([]uint16, len(v))
	for i, u := range v {
		units[i] = uint16(u)
	}
	return string(utf16.Decode(units)), nil
}

// matlabBytes reads an array of bytes, no side of it 0: two sides, for pictures also three planes of them.
func matlabBytes(f *hdf5.File, r hdf5.Ref, picture bool) ([]byte, []int, error) {
	d, err := f.Deref(r)
	if err != nil {
		return nil, nil, err
	}
	planes := picture && len(d.Shape) == 3 && d.Shape[0] == 3
	if d.Len() == 0 || len(d.Shape) != 2 && !planes {
		shape := slices.Clone(d.Shape) // MATLAB's order
		slices.Reverse(shape)
		want := "height x width"
		if picture {
			want += ", or height x width x 3"
		}
		return nil, nil, fmt.Errorf("size: got %v, want %s", shape, want)
	}
	b, err := d.Bytes()
	if err == nil && len(b) != d.Len() {
		err = errors.New("got fewer bytes than the shape says")
	}
	return b, d.Shape, err
}

// isArchive tells whether a file that is wanted whole, no archive of it, is one all the same. Zeros are no empty tar: HDF5 may begin with them.
func isArchive(head []byte) bool {
	return kindOf(head) != notArchive && len(bytes.Trim(head, "\x00")) > 0
}

// notMAT73 says what a file is by its first 512 bytes that cannot be read as a MAT-file of version 7.3, and what to do about it.
func notMAT73(head []byte) string {
	const save = ", want 7.3: in MATLAB, load it and save(..., '-v7.3')"
	switch {
	case strings.HasPrefix(string(head), "MATLAB 5.0"):
		return "a MAT-file of version 5 (which is also what 6 and 7 write)" + save
	case strings.HasPrefix(string(head), "MATLAB 7.3"):
		return "a MAT-file of version 7.3 that is damaged or cut short: its header is there, the HDF5 after it is not"
	case isMAT4(head, binary.LittleEndian), isMAT4(head, binary.BigEndian):
		return "a MAT-file of version 4" + save
	}
	return "no MAT-file, want gtsegs_ijcv.mat of ImageNet-Segmentation (MATLAB 7.3, that is HDF5)"
}

// isMAT4 tells a MAT-file of version 4, which has no magic: five numbers begin it (type, rows, columns, whether it is complex, length of the name with
// its end), then comes the name (MAT-File Format, MathWorks, "Level 4 MAT-File Format").
func isMAT4(head []byte, order binary.ByteOrder) bool {
	if len(head) < 20 {
		return false
	}
	var n [5]uint32
	for i := range n {
		n[i] = order.Uint32(head[4*i:])
	}
	// The thousands of the type are the machine, of which 0 and 1 are the two orders, the hundreds are always 0, the tens 0 to 5, the ones 0 to 2.
	known := n[0] < 2000 && n[0]/100%10 == 0 && n[0]/10%10 <= 5 && n[0]%10 <= 2
	end := 20 + int64(n[4])
	return known && n[1] > 0 && n[2] > 0 && n[3] <= 1 && n[4] > 1 && end <= int64(len(head)) && head[end-1] == 0 && head[20] > ' '
}

// foreignMAT is the error of a file in which what is looked for is not: it says what the file has.
func foreignMAT(f *hdf5.File, err error) error {
	if !errors.Is(err, hdf5.ErrNotFound) {
		return err
	}
	names, e := f.List("value")
	if e != nil {
		names, e = f.List("")
	}
	if e != nil {
		return err
	}
	return fmt.Errorf("%w; want the variable value of gtsegs_ijcv.mat with id, img and gt, got %s", err, some(names))
}

// some lists at most six names.
func some(names []string) string {
	if len(names) > 6 {
		return strings.Join(names[:6], ", ") + fmt.Sprintf(" and %d more", len(names)-6)
	}
	return strings.Join(names, ", ")
}
