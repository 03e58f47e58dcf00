package pool

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

const magic = "hdseg pool 3\n"

// header is the JSON part of an encoded pool.
type header struct {
	Options  Options
	DescSize int
	Windows  []Window
}

// Encode returns the pool as bytes: a line of magic, the length of a JSON header as 8 bytes, the header
// (options and windows), the descriptors as float32 and the masks, all little-endian. Equal pools give
// equal bytes.
func (p *Pool) Encode() []byte {
	h, err := json.Marshal(header{p.o, p.size, p.windows})
	if err != nil {
		panic("pool: " + err.Error())
	}
	var b bytes.Buffer
	b.Grow(len(magic) + 8 + len(h) + 4*len(p.desc) + len(p.masks))
	b.WriteString(magic)
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(h))))
	b.Write(h)
	for _, v := range p.desc {
		b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), math.Float32bits(v)))
	}
	b.Write(p.masks)
	return b.Bytes()
}

// Decode reads what Encode wrote.
func Decode(data []byte) (*Pool, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(rest) < 8 {
		return nil, fmt.Errorf("pool: not a pool file of version 3")
	}
	n := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	if n > uint64(len(rest)) {
		return nil, fmt.Errorf("pool: header: got %d bytes, want %d", len(rest), n)
	}
	var h header
	dec := json.NewDecoder(bytes.NewReader(rest[:n]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&h); err != nil {
		return nil, fmt.Errorf("pool: header: %w", err)
	}
	if err := h.Options.Validate(); err != nil {
		return nil, fmt.Errorf("pool: header: %w", err)
	}
	p := New(h.Options)
	if h.DescSize != p.size {
		return nil, fmt.Errorf("pool: %s descriptors of %d values, want %d", h.Options.Descriptor, h.DescSize, p.size)
	}
	rest = rest[n:]
	area := h.Options.MaskSize * h.Options.MaskSize
	if want := len(h.Windows) * (4*p.size + area); len(rest) != want {
		return nil, fmt.Errorf("pool: %d windows: got %d bytes of descriptors and masks, want %d", len(h.Windows), len(rest), want)
	}
	for range h.Windows {
		d := make([]float32, p.size)
		for i := range d {
			d[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest))
			rest = rest[4:]
			if math.IsNaN(float64(d[i])) || math.IsInf(float64(d[i]), 0) {
				return nil, fmt.Errorf("pool: window %d: descriptor value %d is not a number", len(p.windows), i)
			}
		}
		p.append(h.Windows[len(p.windows)], d, nil)
	}
	p.masks = bytes.Clone(rest)
	return p, nil
}
