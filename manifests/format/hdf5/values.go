package hdf5

import (
	"math"
	"strings"
)

// Floats returns numbers of any class as float64.
func (d *Dataset) Floats() ([]float64, error) {
	if d.Type.Class != Float && d.Type.Class != Integer {
		return nil, faultf("dataset of class %d: want numbers", d.Type.Class)
	}
	b, err := d.raw()
	if err != nil {
		return nil, err
	}
	out := make([]float64, d.Len())
	o := d.Type.order
	for i := range out {
		e := b[i*d.Type.Size:]
		switch {
		case d.Type.Class == Integer && d.Type.Signed:
			out[i] = float64(d.Type.integer(e))
		case d.Type.Class == Integer:
			out[i] = float64(uint64(d.Type.integer(e)))
		case d.Type.Size == 4:
			out[i] = float64(math.Float32frombits(o.Uint32(e)))
		default:
			out[i] = math.Float64frombits(o.Uint64(e))
		}
	}
	return out, nil
}

// Ints returns numbers as int64. Floats must be whole.
func (d *Dataset) Ints() ([]int64, error) {
	if d.Type.Class != Integer {
		v, err := d.Floats()
		if err != nil {
			return nil, err
		}
		out := make([]int64, len(v))
		for i, x := range v {
			if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
				return nil, faultf("element %d: got %g, want a whole number", i, x)
			}
			out[i] = int64(x)
		}
		return out, nil
	}
	b, err := d.raw()
	if err != nil {
		return nil, err
	}
	out := make([]int64, d.Len())
	for i := range out {
		out[i] = d.Type.integer(b[i*d.Type.Size:])
	}
	return out, nil
}

// Bytes returns numbers of one byte.
func (d *Dataset) Bytes() ([]byte, error) {
	if d.Type.Class != Integer || d.Type.Size != 1 {
		return nil, faultf("dataset of class %d and size %d: want single bytes", d.Type.Class, d.Type.Size)
	}
	return d.raw()
}

func (t *Type) integer(e []byte) int64 {
	switch t.Size {
	case 1:
		if t.Signed {
			return int64(int8(e[0]))
		}
		return int64(e[0])
	case 2:
		if v := t.order.Uint16(e); t.Signed {
			return int64(int16(v))
		} else {
			return int64(v)
		}
	case 4:
		if v := t.order.Uint32(e); t.Signed {
			return int64(int32(v))
		} else {
			return int64(v)
		}
	}
	return int64(t.order.Uint64(e))
}

// Strings returns strings of fixed or any length, without what pads them.
func (d *Dataset) Strings() ([]string, error) {
	if d.Type.Class != String {
		return nil, faultf("dataset of class %d: want strings", d.Type.Class)
	}
	b, err := d.raw()
	if err != nil {
		return nil, err
	}
	out := make([]string, d.Len())
	for i := range out {
		e := b[i*d.Type.Size : (i+1)*d.Type.Size]
		if !d.Type.Variable {
			out[i] = strings.TrimRight(cString(e), " ")
			continue
		}
		if out[i], err = d.f.variableString(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A Ref points to an object of the same file.
type Ref uint64

// Refs returns references to objects.
func (d *Dataset) Refs() ([]Ref, error) {
	if d.Type.Class != Reference || d.Type.Size != d.f.offsetSize {
		return nil, faultf("dataset of class %d: want references", d.Type.Class)
	}
	b, err := d.raw()
	if err != nil {
		return nil, err
	}
	c := &cursor{f: d.f, b: b, what: "references"}
	out := make([]Ref, d.Len())
	for i := range out {
		out[i] = Ref(c.offset())
	}
	return out, c.err
}

// Deref opens the dataset that a reference points to.
func (f *File) Deref(r Ref) (*Dataset, error) {
	f.begin()
	return f.dataset(uint64(r))
}
