package jpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrUnsupported is wrapped for sound files that this package does not read.
var ErrUnsupported = errors.New("not supported")

// A Header is what a walk over a file's markers finds (ITU-T T.81, annex B).
type Header struct {
	Width, Height int // as stored
	Components    int // 1, 3 or 4 in files that Decode reads
	// transform byte of the APP14 segment (0 none, 1 YCbCr, 2 YCCK); -1 without one
	Adobe int
	EXIF  []byte // TIFF block of the first APP1 Exif segment
	End   int    // offset after the end-of-image marker, -1 if the file has none

	segments []segment
}

// A segment is a marker with what follows it.
type segment struct {
	marker byte
	data   []byte
	after  int // offset of what comes next, such as the data of a scan
}

// Scan walks the markers up to the end of the first picture without decoding a pixel. data begins
// with the two bytes of a JPEG file. Its cost is one search for 0xFF over the file.
func Scan(data []byte) (Header, error) {
	h := Header{Adobe: -1, End: -1}
	i := min(2, len(data))
	for {
		marker, at := nextMarker(data, i)
		if at < 0 {
			break
		}
		i = at
		if marker == 0xd9 { // EOI
			h.End = i
			break
		}
		if marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 { // TEM, RSTn, SOI carry no length
			continue
		}
		if i+2 > len(data) {
			break
		}
		n := int(binary.BigEndian.Uint16(data[i:]))
		if n < 2 {
			return h, fmt.Errorf("marker 0x%02x: segment length: got %d, want at least 2", marker, n)
		}
		seg := data[i+2 : min(i+n, len(data))]
		switch {
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			// SOFn
			if len(seg) < 6 {
				return h, errors.New("frame header cut short")
			}
			if err := supported(marker, seg[0]); err != nil {
				return h, err
			}
			h.Height = int(binary.BigEndian.Uint16(seg[1:]))
			h.Width = int(binary.BigEndian.Uint16(seg[3:]))
			h.Components = int(seg[5])
		case marker == 0xe1 && h.EXIF == nil && bytes.HasPrefix(seg, []byte("Exif\x00")) && len(seg) > 6:
			h.EXIF = seg[6:]
		case marker == 0xee && len(seg) >= 12 && bytes.HasPrefix(seg, []byte("Adobe")):
			h.Adobe = int(seg[11])
		}
		i += n
		h.segments = append(h.segments, segment{marker, seg, i})
	}
	if h.Components == 0 {
		return h, errors.New("got no frame header")
	}
	return h, nil
}

// nextMarker finds the next marker at or after data[i], skipping entropy-coded data, stuffed
// zeros and fill bytes, and returns the offset after it, or -1 at the end of the data.
func nextMarker(data []byte, i int) (marker byte, at int) {
	for i < len(data) {
		k := bytes.IndexByte(data[i:], 0xff)
		if k < 0 {
			return 0, -1
		}
		i += k + 1
		for i < len(data) && data[i] == 0xff {
			i++
		}
		if i < len(data) && data[i] != 0 {
			return data[i], i + 1
		}
	}
	return 0, -1
}

// supported names the kinds of JPEG that Decode does not read.
func supported(sof, precision byte) error {
	switch {
	case sof > 0xc2 && sof < 0xc8:
		return fmt.Errorf("frame type 0xff%02x: %w: lossless or hierarchical JPEG", sof, ErrUnsupported)
	case sof > 0xc8:
		return fmt.Errorf("frame type 0xff%02x: %w: arithmetic coding", sof, ErrUnsupported)
	case precision != 8:
		return fmt.Errorf("sample precision: %w: got %d bits, want 8", ErrUnsupported, precision)
	}
	return nil
}
