// Package jpeg decodes baseline, extended sequential and progressive Huffman-coded JPEG with 8-bit
// samples (ITU-T T.81) to the very pixels that libjpeg and libjpeg-turbo give by default: their
// accurate integer inverse transform ("islow"), their triangle-filtered chroma ("fancy
// upsampling"), their color conversion.
//
// It exists for two reasons. Pictures have equal pixels here and in Python, in every release of Go,
// whose own image/jpeg has changed its pixels; digests of pixels depend on that. And it is about
// twice as fast.
package jpeg

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Decode returns the first picture of a file as 8-bit RGB: channel c of pixel (x, y) is at
// [3*(y*Width+x)+c]. h is what Scan found in data; its size should be checked before, since that is
// what Decode allocates. A file that is cut short or damaged is an error, never part of a picture.
func Decode(data []byte, h Header) ([]uint8, error) {
	if h.End < 0 {
		return nil, errCut
	}
	d := decoder{data: data[:h.End], adobe: h.Adobe}
	return d.decode(h.segments)
}

var errCut = errors.New("cut short: got no end-of-image marker")

// A decoder is one file that is read.
type decoder struct {
	data        []byte
	width       int
	height      int
	progressive bool
	comps       []component
	hMax, vMax  int
	quant       [4]*[64]int32 // by table, in natural order
	huff        [2][4]huffTable
	restart     int // MCUs between restart markers, 0 for none
	jfif        bool
	adobe       int // as in Header
}

// A component is one colour component.
type component struct {
	id            byte
	h, v          int // sampling factors, 1..4
	tq            byte
	quant         *[64]int32 // the table when its first scan began: tables may be redefined later
	blocksX       int        // blocks that the picture needs
	blocksY       int
	strideX       int     // blocks allocated, whole MCUs
	width, height int     // samples that the picture needs
	plane         []uint8 // 8*strideX samples a row
	coefs         []int16 // progressive: 64 a block, natural order
	dc            int32
	scans         int
	// progressive: 1 + the lowest bit that scans brought of each coefficient, in zigzag order; 0
	// for none
	sent [64]uint8
}

// zigzag gives the natural position (row*8 + column) of the k-th coefficient of the stream (T.81,
// figure A.6); the entries after 63 catch runs that lead out of a block.
var zigzag = [64 + 16]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
}

// decode reads the segments, which Scan has found to be whole.
func (d *decoder) decode(segments []segment) (pix []uint8, err error) {
	for _, s := range segments {
		switch s.marker {
		case 0xc0, 0xc1, 0xc2:
			err = d.frame(s.data, s.marker == 0xc2)
		case 0xc4:
			err = d.huffmanTables(s.data)
		case 0xdb:
			err = d.quantTables(s.data)
		case 0xdd:
			if len(s.data) < 2 {
				return nil, errors.New("restart interval cut short")
			}
			d.restart = int(binary.BigEndian.Uint16(s.data))
		case 0xe0:
			d.jfif = d.jfif || len(s.data) >= 5 && string(s.data[:5]) == "JFIF\x00"
		case 0xda:
			err = d.readScan(s.data, s.after)
		}
		if err != nil {
			return nil, err
		}
	}
	return d.finish()
}

func (d *decoder) quantTables(seg []byte) error {
	for len(seg) > 0 {
		wide, id := seg[0]>>4, seg[0]&15
		seg = seg[1:]
		size := 64 << wide
		if wide > 1 || id > 3 || len(seg) < size {
			return fmt.Errorf("quantization table %d: got %d bytes of %d-bit values", id, len(seg), 8<<wide)
		}
		t := new([64]int32)
		for k := range 64 {
			if wide == 1 {
				t[zigzag[k]] = int32(binary.BigEndian.Uint16(seg[2*k:]))
			} else {
				t[zigzag[k]] = int32(seg[k])
			}
		}
		d.quant[id] = t
		seg = seg[size:]
	}
	return nil
}

func (d *decoder) huffmanTables(seg []byte) error {
	for len(seg) > 0 {
		if len(seg) < 17 {
			return errors.New("huffman table cut short")
		}
		class, id := seg[0]>>4, seg[0]&15
		counts := (*[16]byte)(seg[1:17])
		n := 0
		for _, c := range counts {
			n += int(c)
		}
		if class > 1 || id > 3 || n > 256 || len(seg) < 17+n {
			return fmt.Errorf("huffman table %d of class %d: got %d symbols in %d bytes", id, class, n, len(seg)-17)
		}
		if err := d.huff[class][id].set(counts, seg[17:17+n]); err != nil {
			return err
		}
		seg = seg[17+n:]
	}
	return nil
}

// frame reads a frame header (T.81, B.2.2) and allocates the planes.
func (d *decoder) frame(seg []byte, progressive bool) error {
	if d.comps != nil {
		return errors.New("got two frame headers")
	}
	n := int(seg[5])
	if len(seg) < 6+3*n || n != 1 && n != 3 && n != 4 {
		return fmt.Errorf("frame header: got %d components, want 1, 3 or 4", n)
	}
	d.progressive = progressive
	d.height, d.width = int(binary.BigEndian.Uint16(seg[1:])), int(binary.BigEndian.Uint16(seg[3:]))
	d.hMax, d.vMax = 1, 1
	comps := make([]component, n)
	for i := range comps {
		s := seg[6+3*i:]
		c := component{id: s[0], h: int(s[1] >> 4), v: int(s[1] & 15), tq: s[2]}
		for _, o := range comps[:i] {
			if o.id == c.id {
				return fmt.Errorf("frame header: component %d is there twice", c.id)
			}
		}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 || c.tq > 3 {
			return fmt.Errorf("frame header: component %d: got sampling %d x %d and table %d", c.id, c.h, c.v, c.tq)
		}
		d.hMax, d.vMax = max(d.hMax, c.h), max(d.vMax, c.v)
		comps[i] = c
	}
	if n == 1 { // sampling factors mean nothing for one component
		comps[0].h, comps[0].v, d.hMax, d.vMax = 1, 1, 1, 1
	}
	mcusX, mcusY := ceilDiv(d.width, 8*d.hMax), ceilDiv(d.height, 8*d.vMax)
	for i := range comps {
		c := &comps[i]
		c.width, c.height = ceilDiv(d.width*c.h, d.hMax), ceilDiv(d.height*c.v, d.vMax)
		c.blocksX, c.blocksY = ceilDiv(c.width, 8), ceilDiv(c.height, 8)
		c.strideX = mcusX * c.h
		blocks := c.strideX * mcusY * c.v
		c.plane = make([]uint8, 64*blocks)
		if progressive {
			c.coefs = make([]int16, 64*blocks)
		}
	}
	d.comps = comps
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// finish turns coefficients into samples where that is still to be done, and samples into colours.
func (d *decoder) finish() ([]uint8, error) {
	for i := range d.comps {
		c := &d.comps[i]
		if c.scans == 0 {
			return nil, fmt.Errorf("component %d has no scan", c.id)
		}
		if d.progressive {
			if err := c.complete(); err != nil {
				return nil, err
			}
			c.transform()
		}
	}
	return d.colors(), nil
}
