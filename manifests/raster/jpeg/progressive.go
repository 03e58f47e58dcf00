package jpeg

import (
	"errors"
	"fmt"
)

// The four kinds of progressive scans (T.81, G.1.2 and G.2). Blocks keep their coefficients,
// undequantized, until the end.

var errRun = errors.New("damaged data: a run leads out of its block")

func (s *scan) dcFirst(r *bitReader, k int, c *component, block int) error {
	size, ok := s.dcTable[k].next(r)
	if !ok || size > 15 {
		return errHuffman
	}
	if size > 0 {
		c.dc += extend(r.bits(uint(size)), uint(size))
	}
	c.coefs[64*block] = int16(c.dc << s.low)
	return nil
}

func (s *scan) dcRefine(r *bitReader, _ int, c *component, block int) error {
	if r.bit() {
		c.coefs[64*block] |= 1 << s.low
	}
	return nil
}

func (s *scan) acFirst(r *bitReader, k int, c *component, block int) error {
	if s.eobRun > 0 {
		s.eobRun--
		return nil
	}
	coefs := c.coefs[64*block : 64*block+64 : 64*block+64]
	for i := s.start; i <= s.end; i++ {
		rs, ok := s.acTable[k].next(r)
		if !ok {
			return errHuffman
		}
		run, size := int(rs>>4), uint(rs&15)
		if size == 0 {
			if run < 15 {
				s.eobRun = 1<<run - 1 + r.bits(uint(run))
				break
			}
			i += 15
			continue
		}
		if i += run; i > s.end {
			return errRun
		}
		coefs[zigzag[i]] = int16(extend(r.bits(size), size) << s.low)
	}
	return nil
}

// acRefine adds one bit to coefficients that are not zero and places new ones of absolute value
// 1<<low (T.81, G.1.2.3).
func (s *scan) acRefine(r *bitReader, k int, c *component, block int) error {
	coefs := c.coefs[64*block : 64*block+64 : 64*block+64]
	one := int16(1) << s.low
	i := s.start
	if s.eobRun == 0 {
		for ; i <= s.end; i++ {
			rs, ok := s.acTable[k].next(r)
			if !ok {
				return errHuffman
			}
			run, size := int(rs>>4), rs&15
			var placed int16
			switch {
			case size == 1:
				placed = -one
				if r.bit() {
					placed = one
				}
			case size > 1:
				return errHuffman
			case run < 15:
				s.eobRun = 1<<run + r.bits(uint(run))
			}
			if s.eobRun > 0 {
				break
			}
			i = s.refine(r, coefs, i, run, one)
			if placed != 0 {
				if i > s.end {
					return errRun
				}
				coefs[zigzag[i]] = placed
			}
		}
	}
	if s.eobRun > 0 {
		s.eobRun--
		s.refine(r, coefs, i, -1, one)
	}
	return nil
}

// refine reads a correction bit for every nonzero coefficient from i on until skip zeros were
// passed, and returns the position of the next zero, or one after the band. skip < 0 means to the
// end of the band.
func (s *scan) refine(r *bitReader, coefs []int16, i, skip int, one int16) int {
	for ; i <= s.end; i++ {
		v := &coefs[zigzag[i]]
		if *v == 0 {
			if skip == 0 {
				break
			}
			skip--
			continue
		}
		if r.bit() && *v&one == 0 {
			if *v > 0 {
				*v += one
			} else {
				*v -= one
			}
		}
	}
	return i
}

// complete refuses a component of which bits or whole coefficients were never sent, as in a file
// that was cut off and closed. T.81 lets encoders leave them out, but none is known to, and nothing
// tells such a file from half a picture.
func (c *component) complete() error {
	for k, v := range c.sent {
		switch {
		case v == 0:
			return fmt.Errorf("cut short: component %d: no scan has coefficient %d of 0..63", c.id, k)
		case v > 1:
			return fmt.Errorf("cut short: component %d: no scan has the last %d bits of coefficient %d", c.id, v-1, k)
		}
	}
	return nil
}

// transform turns the coefficients of the blocks that the picture needs into samples.
func (c *component) transform() {
	var block [64]int32
	for y := range c.blocksY {
		for x := range c.blocksX {
			coefs := c.coefs[64*(y*c.strideX+x):][:64]
			columns, any := uint(0), int16(0)
			for i, v := range coefs {
				block[i] = int32(v) * c.quant[i]
				if v != 0 && i >= 8 {
					columns |= 1 << (i & 7)
				}
				if i > 0 {
					any |= v
				}
			}
			out := c.plane[y*64*c.strideX+8*x:]
			if any == 0 {
				flatBlock(block[0], out, 8*c.strideX)
			} else {
				inverse(&block, columns, out, 8*c.strideX)
			}
		}
	}
}
