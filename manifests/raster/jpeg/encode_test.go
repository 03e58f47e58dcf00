package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// A coder writes JPEG files from coefficients, for tests: one Huffman table with all 256 symbols, of which 200 have codes of 8
// bits and 56 codes of 12, so that both ways of look-up are used.
type coder struct {
	out []byte
	acc uint32
	n   int
}

func symbolCode(s byte) (code uint32, length int) {
	if s < 200 {
		return uint32(s), 8
	}
	return 200<<4 + uint32(s) - 200, 12
}

func (c *coder) put(v uint32, n int) {
	for n--; n >= 0; n-- {
		c.acc, c.n = c.acc<<1|v>>n&1, c.n+1
		if c.n == 8 {
			if c.out = append(c.out, byte(c.acc)); byte(c.acc) == 0xff {
				c.out = append(c.out, 0)
			}
			c.acc, c.n = 0, 0
		}
	}
}

func (c *coder) symbol(s byte) { c.put(symbolCode(s)) }

// value writes v in the form of extend.
func (c *coder) value(v int32, size int) {
	if v < 0 {
		v += 1<<size - 1
	}
	c.put(uint32(v), size)
}

func (c *coder) align() {
	for c.n != 0 {
		c.put(1, 1)
	}
}

func (c *coder) segment(marker byte, body ...byte) {
	c.out = append(c.out, 0xff, marker)
	c.out = binary.BigEndian.AppendUint16(c.out, uint16(len(body)+2))
	c.out = append(c.out, body...)
}

// A drawing is what a coder writes: coefficients in zigzag order, 64 a block, blocks of each component row by row over whole MCUs.
type drawing struct {
	width, height int
	sampling      [][2]int // h, v of each component
	coefs         [][]int16
	restart       int
	adobe         int // -1 for no marker
}

// blocks returns the allocated and needed block columns and rows of component k.
func (d *drawing) blocks(k int) (strideX, strideY, x, y int) {
	hMax, vMax := 1, 1
	for _, s := range d.sampling {
		hMax, vMax = max(hMax, s[0]), max(vMax, s[1])
	}
	h, v := d.sampling[k][0], d.sampling[k][1]
	return ceilDiv(d.width, 8*hMax) * h, ceilDiv(d.height, 8*vMax) * v, ceilDiv(ceilDiv(d.width*h, hMax), 8), ceilDiv(ceilDiv(d.height*v, vMax), 8)
}

func (c *coder) header(d *drawing, sof byte) {
	c.out = append(c.out, 0xff, 0xd8)
	if d.adobe >= 0 {
		c.segment(0xee, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, byte(d.adobe))
	}
	quant := []byte{0}
	for k := range 64 {
		quant = append(quant, byte(1+k%5))
	}
	c.segment(0xdb, quant...)
	frame := binary.BigEndian.AppendUint16([]byte{8}, uint16(d.height))
	frame = binary.BigEndian.AppendUint16(frame, uint16(d.width))
	frame = append(frame, byte(len(d.sampling)))
	for k, s := range d.sampling {
		frame = append(frame, byte(k+1), byte(s[0]<<4|s[1]), 0)
	}
	c.segment(sof, frame...)
	for _, class := range []byte{0, 0x10} {
		table := append([]byte{class}, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 56, 0, 0, 0, 0)
		for s := range 256 {
			table = append(table, byte(s))
		}
		c.segment(0xc4, table...)
	}
	if d.restart > 0 {
		c.segment(0xdd, byte(d.restart>>8), byte(d.restart))
	}
}

// scan writes one scan; emit writes a block of component k, reset is called after every restart marker, flush before it.
func (c *coder) scan(d *drawing, comps []int, start, end, high, low int, emit func(k int, block []int16), flush func()) {
	head := []byte{byte(len(comps))}
	for _, k := range comps {
		head = append(head, byte(k+1), 0)
	}
	c.segment(0xda, append(head, byte(start), byte(end), byte(high<<4|low))...)
	count := 0
	unit := func() {
		if d.restart > 0 && count > 0 && count%d.restart == 0 {
			flush()
			c.align()
			c.out = append(c.out, 0xff, byte(0xd0+(count/d.restart-1)%8))
		}
		count++
	}
	if len(comps) == 1 {
		k := comps[0]
		strideX, _, nx, ny := d.blocks(k)
		for y := range ny {
			for x := range nx {
				unit()
				emit(k, d.coefs[k][64*(y*strideX+x):][:64])
			}
		}
	} else {
		strideX, strideY, _, _ := d.blocks(comps[0])
		h, v := d.sampling[comps[0]][0], d.sampling[comps[0]][1]
		for my := range strideY / v {
			for mx := range strideX / h {
				unit()
				for _, k := range comps {
					strideX, _, _, _ := d.blocks(k)
					for y := range d.sampling[k][1] {
						for x := range d.sampling[k][0] {
							emit(k, d.coefs[k][64*((my*d.sampling[k][1]+y)*strideX+mx*d.sampling[k][0]+x):][:64])
						}
					}
				}
			}
		}
	}
	flush()
	c.align()
}

func sizeOf(v int32) int { return bits.Len32(uint32(max(v, -v))) }

// sequential writes a baseline file, all components in one scan, or each in its own.
func (d *drawing) sequential(interleaved bool) []byte {
	c := &coder{}
	c.header(d, 0xc0)
	var groups [][]int
	for k := range d.sampling {
		groups = append(groups, []int{k})
	}
	if interleaved {
		groups = [][]int{nil}
		for k := range d.sampling {
			groups[0] = append(groups[0], k)
		}
	}
	for _, g := range groups {
		var dc [4]int32
		c.scan(d, g, 0, 63, 0, 0, func(k int, b []int16) {
			diff := int32(b[0]) - dc[k]
			dc[k] = int32(b[0])
			c.symbol(byte(sizeOf(diff)))
			c.value(diff, sizeOf(diff))
			run := 0
			for _, v := range b[1:] {
				if v == 0 {
					run++
					continue
				}
				for ; run > 15; run -= 16 {
					c.symbol(0xf0)
				}
				size := sizeOf(int32(v))
				c.symbol(byte(run<<4 | size))
				c.value(int32(v), size)
				run = 0
			}
			if run > 0 {
				c.symbol(0)
			}
		}, func() { dc = [4]int32{} })
	}
	return append(c.out, 0xff, 0xd9)
}

// progressive writes the same coefficients in scans: DC of all components, then the AC bands of each, every one
// refined bit by bit from bit low on.
func (d *drawing) progressive(bands [][2]int, low int) []byte {
	c := &coder{}
	c.header(d, 0xc2)
	var all []int
	for k := range d.sampling {
		all = append(all, k)
	}
	var dc [4]int32
	c.scan(d, all, 0, 0, 0, low, func(k int, b []int16) {
		v := int32(b[0]) >> low
		c.symbol(byte(sizeOf(v - dc[k])))
		c.value(v-dc[k], sizeOf(v-dc[k]))
		dc[k] = v
	}, func() { dc = [4]int32{} })
	for _, k := range all {
		for _, band := range bands {
			c.acFirst(d, k, band, low)
		}
	}
	for bit := low - 1; bit >= 0; bit-- {
		c.scan(d, all, 0, 0, bit+1, bit, func(_ int, b []int16) { c.put(uint32(b[0])>>bit&1, 1) }, func() {})
		for _, k := range all {
			for _, band := range bands {
				c.acRefine(d, k, band, bit)
			}
		}
	}
	return append(c.out, 0xff, 0xd9)
}

// eobs collects blocks that end early, and the correction bits that follow their run.
type eobs struct {
	run   int
	fixes []uint32
}

func (e *eobs) flush(c *coder) {
	if e.run > 0 {
		n := bits.Len(uint(e.run)) - 1
		c.symbol(byte(n << 4))
		c.put(uint32(e.run-1<<n), n)
	}
	c.fixes(e.fixes)
	*e = eobs{}
}

func (c *coder) fixes(b []uint32) {
	for _, v := range b {
		c.put(v, 1)
	}
}

func (c *coder) acFirst(d *drawing, k int, band [2]int, low int) {
	var e eobs
	c.scan(d, []int{k}, band[0], band[1], 0, low, func(_ int, b []int16) {
		run := 0
		for i := band[0]; i <= band[1]; i++ {
			v := int32(b[i])
			v = max(v, -v) >> low
			if v == 0 {
				run++
				continue
			}
			e.flush(c)
			for ; run > 15; run -= 16 {
				c.symbol(0xf0)
			}
			size := sizeOf(v)
			c.symbol(byte(run<<4 | size))
			if b[i] < 0 {
				v = -v
			}
			c.value(v, size)
			run = 0
		}
		if run > 0 {
			if e.run++; e.run == 0x7fff {
				e.flush(c)
			}
		}
	}, func() { e.flush(c) })
}

func (c *coder) acRefine(d *drawing, k int, band [2]int, low int) {
	var e eobs
	c.scan(d, []int{k}, band[0], band[1], low+1, low, func(_ int, b []int16) {
		last := -1
		for i := band[0]; i <= band[1]; i++ {
			if v := int32(b[i]); max(v, -v)>>low == 1 {
				last = i
			}
		}
		run := 0
		var fixes []uint32
		for i := band[0]; i <= band[1]; i++ {
			v := int32(b[i])
			v = max(v, -v) >> low
			if v == 0 {
				run++
				continue
			}
			for ; run > 15 && i <= last; run -= 16 {
				e.flush(c)
				c.symbol(0xf0)
				c.fixes(fixes)
				fixes = nil
			}
			if v > 1 {
				fixes = append(fixes, uint32(v)&1)
				continue
			}
			e.flush(c)
			c.symbol(byte(run<<4 | 1))
			if b[i] < 0 {
				c.put(0, 1)
			} else {
				c.put(1, 1)
			}
			c.fixes(fixes)
			fixes, run = nil, 0
		}
		if run > 0 || len(fixes) > 0 {
			e.run++
			e.fixes = append(e.fixes, fixes...)
			if e.run == 0x7fff || len(e.fixes) > 900 {
				e.flush(c)
			}
		}
	}, func() { e.flush(c) })
}
