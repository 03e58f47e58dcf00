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
	Options  madeWith
	DescSize int
	Windows  []Window
}

// madeWith holds the options and constants behind a pool's windows, so that a pool that was made
// with others is not taken for one of this version.
type madeWith struct {
	Descriptor   string
	Margin       float64
	MaskSize     int
	AspectWeight float64
	TouchWeight  float64
	Vote         string
	KernelWidth  float64
	Lambda       float64
	RidgeWindows int
	Neighbors    int
	Sharpness    float64
	Mirror       bool
	MinAreaPx    int
}

func (o Options) madeWith() madeWith {
	return madeWith{
		Descriptor: "hog", Margin: margin, MaskSize: MaskSide, AspectWeight: aspectWeight, TouchWeight: touchWeight,
		Vote: "ridge", KernelWidth: kernelWidth, Lambda: lambda, RidgeWindows: o.RidgeWindows, Neighbors: o.Neighbors,
		Sharpness: 3, Mirror: true, MinAreaPx: o.MinAreaPx,
	}
}

// Encode returns the pool as bytes: a line of magic, the length of a JSON header as 8 bytes, the
// header, the descriptors as float32 and the masks, all little-endian. Equal pools give equal
// bytes.
func (p *Pool) Encode() []byte {
	h, err := json.Marshal(header{p.o.madeWith(), descSize, p.windows})
	if err != nil {
		panic("pool: " + err.Error())
	}
	b := make([]byte, 0, len(magic)+8+len(h)+4*len(p.desc)+len(p.masks))
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(h)))
	b = append(b, h...)
	for _, v := range p.desc {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return append(b, p.masks...)
}

// Decode reads what Encode wrote. Its error is that the bytes are damaged or of another version.
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
	if err := json.Unmarshal(rest[:n], &h); err != nil {
		return nil, fmt.Errorf("pool: header: %w", err)
	}
	o := Options{MinAreaPx: h.Options.MinAreaPx, RidgeWindows: h.Options.RidgeWindows, Neighbors: h.Options.Neighbors}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("pool: header: %w", err)
	}
	if h.Options != o.madeWith() || h.DescSize != descSize {
		return nil, fmt.Errorf("pool: header: made with %+v, want %+v", h.Options, o.madeWith())
	}
	p := New(o)
	rest = rest[n:]
	if want := len(h.Windows) * (4*descSize + MaskSide*MaskSide); len(rest) != want {
		return nil, fmt.Errorf("pool: %d windows: got %d bytes of descriptors and masks, want %d", len(h.Windows), len(rest), want)
	}
	for i, w := range h.Windows {
		d := make([]float32, descSize)
		for k := range d {
			d[k] = math.Float32frombits(binary.LittleEndian.Uint32(rest))
			rest = rest[4:]
			if math.IsNaN(float64(d[k])) || math.IsInf(float64(d[k]), 0) {
				return nil, fmt.Errorf("pool: window %d: descriptor value %d is not a number", i, k)
			}
		}
		p.append(w, d, nil)
	}
	p.masks = bytes.Clone(rest)
	return p, nil
}
