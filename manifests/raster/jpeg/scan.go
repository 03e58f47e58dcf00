package jpeg

import (
	"errors"
	"fmt"
)

// A scan is one scan: which components and which part of their coefficients it brings (T.81,
// B.2.3).
type scan struct {
	comps      []*component
	dcTable    [4]*huffTable
	acTable    [4]*huffTable
	start, end int  // band of coefficients, in zigzag order
	high, low  uint // successive approximation
	eobRun     int32
}

var errHuffman = errors.New("damaged data: got bits that are no Huffman code")

// readScan reads a scan header and its entropy-coded data, from data[i] on.
func (d *decoder) readScan(seg []byte, i int) error {
	if d.comps == nil {
		return errors.New("got a scan before the frame header")
	}
	s, err := d.scanHeader(seg)
	if err != nil {
		return err
	}
	r := &bitReader{data: d.data, pos: i}
	mcusX, mcusY := ceilDiv(d.width, 8*d.hMax), ceilDiv(d.height, 8*d.vMax)
	single := len(s.comps) == 1
	if single { // T.81, A.2.2: one block a unit, and only blocks that the picture needs
		mcusX, mcusY = s.comps[0].blocksX, s.comps[0].blocksY
	}
	decode := s.blocks(d.progressive)
	left := d.restart
	expected := byte(0xd0)
	for y := range mcusY {
		for x := range mcusX {
			if d.restart > 0 && left == 0 {
				if r.short() {
					return errors.New("cut short: an interval ends before its last block")
				}
				marker, at := nextMarker(d.data, r.pos)
				if at < 0 || marker != expected {
					return fmt.Errorf("damaged data: restart marker: got 0x%02x, want 0x%02x", marker, expected)
				}
				r.reset(at)
				expected = 0xd0 + (expected+1)&7
				left = d.restart
				s.eobRun = 0
				for _, c := range s.comps {
					c.dc = 0
				}
			}
			left--
			if single {
				if err := decode(r, 0, s.comps[0], y*s.comps[0].strideX+x); err != nil {
					return err
				}
				continue
			}
			for k, c := range s.comps {
				for v := range c.v {
					block := (y*c.v+v)*c.strideX + x*c.h
					for h := range c.h {
						if err := decode(r, k, c, block+h); err != nil {
							return err
						}
					}
				}
			}
		}
	}
	if r.short() {
		return errors.New("cut short: a scan ends before its last block")
	}
	return nil
}

func (d *decoder) scanHeader(seg []byte) (*scan, error) {
	if len(seg) < 1 || len(seg) < 4+2*int(seg[0]) || seg[0] < 1 || seg[0] > 4 {
		return nil, errors.New("scan header cut short")
	}
	n := int(seg[0])
	s := &scan{}
	tail := seg[1+2*n:]
	s.start, s.end, s.high, s.low = int(tail[0]), int(tail[1]), uint(tail[2]>>4), uint(tail[2]&15)
	if !d.progressive {
		s.start, s.end, s.high, s.low = 0, 63, 0, 0
	}
	if s.start > s.end || s.end > 63 || s.start == 0 && s.end > 0 && d.progressive || s.start > 0 && n > 1 || s.low > 13 || s.high > 13 {
		return nil, fmt.Errorf("scan header: got coefficients %d..%d, bits %d..%d of %d components", s.start, s.end, s.high, s.low, n)
	}
	blocks := 0
	for k := range n {
		c := d.componentOf(seg[1+2*k])
		if c == nil {
			return nil, fmt.Errorf("scan header: got component %d, which the frame does not have", seg[1+2*k])
		}
		for _, o := range s.comps {
			if o == c {
				return nil, fmt.Errorf("scan header: component %d is there twice", c.id)
			}
		}
		if c.quant == nil {
			c.quant = d.quant[c.tq]
		}
		if c.quant == nil {
			return nil, fmt.Errorf("component %d: quantization table %d is not defined", c.id, c.tq)
		}
		c.dc = 0
		c.scans++
		for i := s.start; i <= s.end; i++ {
			if s.high > 0 && c.sent[i] != 1+uint8(s.high) {
				return nil, fmt.Errorf("cut short: component %d: a scan has the bits below %d of coefficient %d, and "+
					"none before it those above", c.id, s.high, i)
			}
			c.sent[i] = 1 + uint8(s.low)
		}
		blocks += c.h * c.v
		s.comps = append(s.comps, c)
		td, ta := seg[2+2*k]>>4, seg[2+2*k]&15
		if td > 3 || ta > 3 {
			return nil, fmt.Errorf("scan header: component %d: got huffman tables %d and %d", c.id, td, ta)
		}
		var err error
		if s.start == 0 && s.high == 0 {
			s.dcTable[k], err = d.table(0, td)
		}
		if err == nil && s.end > 0 {
			s.acTable[k], err = d.table(1, ta)
		}
		if err != nil {
			return nil, err
		}
	}
	if n > 1 && blocks > 10 {
		return nil, fmt.Errorf("scan header: got %d blocks a unit, want at most 10", blocks)
	}
	return s, nil
}

func (d *decoder) componentOf(id byte) *component {
	for i := range d.comps {
		if d.comps[i].id == id {
			return &d.comps[i]
		}
	}
	return nil
}

// table returns a Huffman table; where a file defines none, as in Motion JPEG, the first two are
// T.81's examples.
func (d *decoder) table(class int, id byte) (*huffTable, error) {
	h := &d.huff[class][id]
	if !h.ok {
		if id > 1 {
			return nil, fmt.Errorf("huffman table %d of class %d is not defined", id, class)
		}
		h.useStandard(class, int(id))
	}
	return h, nil
}

// A blockDecoder reads what a scan says about one block of its k-th component.
type blockDecoder func(r *bitReader, k int, c *component, block int) error

func (s *scan) blocks(progressive bool) blockDecoder {
	switch {
	case !progressive:
		return s.sequential
	case s.start == 0 && s.high == 0:
		return s.dcFirst
	case s.start == 0:
		return s.dcRefine
	case s.high == 0:
		return s.acFirst
	}
	return s.acRefine
}

// sequential decodes a whole block (T.81, F.2.2) and puts its samples into the plane.
func (s *scan) sequential(r *bitReader, k int, c *component, block int) error {
	var coefs [64]int32
	size, ok := s.dcTable[k].next(r)
	if !ok || size > 15 {
		return errHuffman
	}
	if size > 0 {
		c.dc += extend(r.bits(uint(size)), uint(size))
	}
	q := c.quant
	coefs[0] = c.dc * q[0]
	ac := s.acTable[k]
	columns := uint(0) // bit x: column x has a coefficient below the first row
	acc, n := r.acc, r.n
	last := 0
	for i := 1; i < 64; {
		if n < 32 {
			r.acc, r.n = acc, n
			r.fill()
			acc, n = r.acc, r.n
		}
		if f := ac.fast[acc>>(64-lookBits)]; f != 0 {
			i += int(f >> 8 & 15)
			z := zigzag[i&127%80] & 63
			coefs[z] = f >> 16 * q[z]
			columns |= uint(z>>3+7) >> 3 << (z & 7)
			l := uint(f & 15)
			acc <<= l
			n -= l
			last = i
			i++
			continue
		}
		var rs byte
		if e := ac.look[acc>>(64-lookBits)]; e != 0 {
			l := uint(e >> 8)
			acc <<= l & 63
			n -= l
			rs = byte(e)
		} else {
			r.acc, r.n = acc, n
			if rs, ok = ac.long(r); !ok {
				return errHuffman
			}
			acc, n = r.acc, r.n
		}
		size := uint(rs & 15)
		if size == 0 {
			if rs != 0xf0 {
				break
			}
			i += 16
			continue
		}
		i += int(rs >> 4)
		v := extend(int32(acc>>(64-size)), size)
		acc <<= size
		n -= size
		z := zigzag[i&127%80] & 63
		coefs[z] = v * q[z]
		columns |= uint(z>>3+7) >> 3 << (z & 7)
		last = i
		i++
	}
	r.acc, r.n = acc, n
	if last > 63 {
		return errRun
	}
	out := c.plane[block/c.strideX*64*c.strideX+block%c.strideX*8:]
	if last == 0 {
		flatBlock(coefs[0], out, 8*c.strideX)
	} else {
		inverse(&coefs, columns, out, 8*c.strideX)
	}
	return nil
}
