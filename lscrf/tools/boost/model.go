package boost

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A Model is one or several sequences of oblivious trees with the borders of their
// features. It is only read after training and may be used by several goroutines.
type Model struct {
	Binning   *Binning
	Pairs     bool // rows are pairs of nodes: features Dim..2*Dim-1 are those of the tail
	Loss      Loss
	Outputs   int
	Sequences []Sequence // they partition the outputs, in order
}

// A Sequence predicts Width outputs from First on: the sum of Base and one leaf of every
// tree, in this order, in float32.
type Sequence struct {
	First, Width int
	Base         []float32 // per output
	Trees        []Tree
}

// A Tree asks its questions of a row and takes the leaf whose bit l is set when question
// l was answered with yes.
type Tree struct {
	Questions []Question // 0..8
	Values    []float32  // value k of leaf i is Values[i*Width+k]; len = Width << len(Questions)
}

// A Question asks whether the bin of Feature is above Border, that is whether the value
// is above Binning.Borders[Feature%Dim][Border].
type Question struct {
	Feature int32
	Border  uint8
}

// magic starts a serialized model; its last byte is the version of the layout:
//
//	magic, kind, loss, outputs, dim,
//	dim times: count, borders,
//	sequences times: first, width, base, trees,
//	  trees times: depth, depth times (feature, border), values,
//	sha256 of all bytes before it
//
// Everything is little-endian: kind, loss, depth, count and border are one byte, other
// integers four, numbers IEEE float32. One model has exactly one serialization.
var magic = []byte("hdboost\x01")

// MarshalBinary returns the model as bytes; equal models give equal bytes. It never fails.
func (m *Model) MarshalBinary() ([]byte, error) {
	b := bytes.Clone(magic)
	u32 := func(v int) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	floats := func(v []float32) {
		for _, x := range v {
			u32(int(math.Float32bits(x)))
		}
	}
	b = append(b, flag(m.Pairs), flag(m.Loss == Logistic))
	u32(m.Outputs)
	u32(m.Binning.Dim())
	for _, v := range m.Binning.Borders {
		b = append(b, uint8(len(v)))
		floats(v)
	}
	u32(len(m.Sequences))
	for _, s := range m.Sequences {
		u32(s.First)
		u32(s.Width)
		floats(s.Base)
		u32(len(s.Trees))
		for _, t := range s.Trees {
			b = append(b, uint8(len(t.Questions)))
			for _, q := range t.Questions {
				u32(int(q.Feature))
				b = append(b, q.Border)
			}
			floats(t.Values)
		}
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// UnmarshalBinary reads what MarshalBinary wrote into m. Bytes that were cut short, edited
// or written by another version are an error and leave m as it was. data is not kept.
func (m *Model) UnmarshalBinary(data []byte) error {
	if !bytes.HasPrefix(data, magic) {
		return errors.New("boost: model: not a model of this version")
	}
	end := len(data) - sha256.Size
	if end < len(magic) {
		return errors.New("boost: model: cut short")
	}
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return errors.New("boost: model: checksum does not match: cut short or edited")
	}
	r := reader{data: data[len(magic):end]}
	out := r.model()
	if r.err == nil && len(r.data) > 0 {
		r.fail("%d bytes too many", len(r.data))
	}
	if r.err != nil {
		return r.err
	}
	*m = *out
	return nil
}

// A reader takes values off the front of data; after the first failure it returns zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("boost: model: "+format, args...)
	}
	r.data = nil
}

func (r *reader) take(n int) []byte {
	if n > len(r.data) {
		r.fail("cut short")
		return make([]byte, min(n, 4))
	}
	v := r.data[:n]
	r.data = r.data[n:]
	return v
}

func (r *reader) u8() int  { return int(r.take(1)[0]) }
func (r *reader) u32() int { return int(binary.LittleEndian.Uint32(r.take(4))) }

// count reads a number of things that take at least size bytes each.
func (r *reader) count(what string, size int) int {
	n := r.u32()
	if n > len(r.data)/size {
		r.fail("%s: got %d, more than the data holds", what, n)
		return 0
	}
	return n
}

func (r *reader) bit(what string) bool {
	v := r.u8()
	if v > 1 {
		r.fail("%s: got %d, want 0 or 1", what, v)
	}
	return v == 1
}

func (r *reader) floats(n int) []float32 {
	if n > len(r.data)/4 {
		r.fail("cut short")
		return nil
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(uint32(r.u32()))
		if v[i] != v[i] {
			r.fail("got NaN")
		}
	}
	return v
}

// finite reads numbers of which infinity is none.
func (r *reader) finite(n int) []float32 {
	v := r.floats(n)
	for _, x := range v {
		if x-x != 0 {
			r.fail("got %v", x)
		}
	}
	return v
}

func (r *reader) model() *Model {
	m := &Model{Pairs: r.bit("kind"), Loss: Squared}
	if r.bit("loss") {
		m.Loss = Logistic
	}
	m.Outputs = r.u32()
	m.Binning = &Binning{Borders: make([][]float32, r.count("features", 1))}
	for f := range m.Binning.Borders {
		m.Binning.Borders[f] = r.floats(r.u8())
	}
	if err := m.Binning.Validate(); err != nil {
		r.fail("%v", err)
	}
	m.Sequences = make([]Sequence, r.count("sequences", 12))
	next := 0
	for i := range m.Sequences {
		s := &m.Sequences[i]
		s.First, s.Width = r.u32(), r.count("width", 4)
		if s.First != next || s.Width < 1 {
			r.fail("sequence %d: outputs %d+%d, want from %d on", i, s.First, s.Width, next)
		}
		next += s.Width
		s.Base = r.finite(s.Width)
		s.Trees = make([]Tree, r.count("trees", 1+4*max(1, s.Width)))
		for t := range s.Trees {
			s.Trees[t] = r.tree(m, s.Width)
		}
	}
	if next != m.Outputs || next == 0 {
		r.fail("outputs: got %d in sequences, want %d, at least 1", next, m.Outputs)
	}
	return m
}

func (r *reader) tree(m *Model, width int) Tree {
	features := m.Binning.Dim()
	if m.Pairs {
		features *= 2
	}
	depth := r.u8()
	if depth > maxDepth {
		r.fail("depth: got %d, want at most %d", depth, maxDepth)
		return Tree{}
	}
	t := Tree{Questions: make([]Question, depth)}
	for l := range t.Questions {
		f, border := r.u32(), r.u8()
		if f >= features || border >= len(m.Binning.Borders[f%m.Binning.Dim()]) {
			r.fail("question: got feature %d, border %d, which does not exist", f, border)
			return Tree{}
		}
		t.Questions[l] = Question{int32(f), uint8(border)}
	}
	t.Values = r.finite(width << depth)
	return t
}
