package feature

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"hdseg/lscrf/tools/superpixel"
)

// Dense describes the arrays of networks that are pooled beside a feature set: what the built-in
// network says of a picture, and beside it the file ID.npy of a folder for each picture.
type Dense struct {
	// Network is the name of the built-in network, "" without it.
	Network string `yaml:"network,omitempty" json:",omitempty"`
	// Dir is the folder. No model or manifest keeps it: who uses a model says where the arrays of
	// the new pictures are.
	Dir string `yaml:"-" json:"-"`
	// By says what made the arrays of the folder, "" if nobody did.
	By string `yaml:"by,omitempty" json:",omitempty"`
	// Channels is the number of values of a cell, 1 to MaxChannels.
	Channels int `yaml:"channels"`
	// Digest is that of the ids and the digests of the folder's arrays of the pictures of a data set,
	// or, without a folder, of the network's weights.
	Digest string `yaml:"digest"`
}

// MaxChannels is the largest number of values of a cell.
const MaxChannels = 4096

// The largest array: values, 512 MB in memory, and cells.
const (
	maxArray = 1 << 27
	maxCells = 1 << 16
)

// An Array covers a picture with a grid of Height x Width cells of Channels values each.
type Array struct {
	Height, Width, Channels int
	Values                  []float32 // [(y*Width+x)*Channels+c]
}

// Bytes is how much memory the values take, 0 if a is nil.
func (a *Array) Bytes() int {
	if a == nil {
		return 0
	}
	return 4 * len(a.Values)
}

// npyHeader is the description in front of an array, as NumPy's format 1.0 and 2.0 has it.
var npyHeader = regexp.MustCompile(`^\{'descr': '(<f2|<f4)', 'fortran_order': False, 'shape': \((\d+), (\d+), (\d+),?\),? *\} *\n?$`)

// ParseArray reads a NumPy file (.npy) of height x width x channels values, float16 or float32, in
// C order. A file that claims more than it holds is refused before memory is taken for it.
func ParseArray(data []byte) (*Array, error) {
	const magic = "\x93NUMPY"
	if len(data) < 12 || string(data[:len(magic)]) != magic || data[6] < 1 || data[6] > 3 {
		return nil, errors.New("is no NumPy file: want what numpy.save writes")
	}
	start, size := 10, int(binary.LittleEndian.Uint16(data[8:]))
	if data[6] > 1 {
		start, size = 12, int(min(binary.LittleEndian.Uint32(data[8:]), 1<<20))
	}
	if size > len(data)-start {
		return nil, errors.New("is cut short")
	}
	header := string(data[start : start+size])
	f := npyHeader.FindStringSubmatch(header)
	if f == nil {
		return nil, fmt.Errorf("got an array of %s, want float16 or float32, height x width x channels, in C order: "+
			"numpy.ascontiguousarray(a, numpy.float16), where a is a[0].transpose(1, 2, 0) of a batch with channels first",
			strings.TrimSpace(header))
	}
	bytes := map[string]int{"<f2": 2, "<f4": 4}[f[1]]
	var shape [3]int
	values := 1
	for i := range shape {
		n, err := strconv.Atoi(f[2+i])
		if err != nil || n < 1 || n > maxArray/values {
			return nil, fmt.Errorf("got an array of %s x %s x %s, want 1 to %d values", f[2], f[3], f[4], maxArray)
		}
		shape[i] = n
		values *= n
	}
	body := data[start+size:]
	switch {
	case shape[2] > MaxChannels:
		return nil, fmt.Errorf("got %d channels, want at most %d: the last of the three sides is that of the channels", shape[2], MaxChannels)
	case shape[0]*shape[1] > maxCells:
		return nil, fmt.Errorf("got %d x %d cells, want at most %d: take means of some, superpixels are no finer", shape[0], shape[1], maxCells)
	case len(body) != values*bytes:
		return nil, fmt.Errorf("got %d bytes of values, want %d", len(body), values*bytes)
	}
	a := &Array{shape[0], shape[1], shape[2], make([]float32, values)}
	for i := range a.Values {
		if bytes == 2 {
			a.Values[i] = float16(binary.LittleEndian.Uint16(body[2*i:]))
		} else {
			a.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
		if v := float64(a.Values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("value %d is %v, want finite ones", i, v)
		}
	}
	return a, nil
}

// float16 returns the value of an IEEE 754 half.
func float16(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0: // subnormal: fraction times 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// A Frame is a part of a picture, in shares of its width and height: X0 < X1 and Y0 < Y1.
type Frame struct{ X0, Y0, X1, Y1 float64 }

// Whole is the Frame of a whole picture.
var Whole = Frame{0, 0, 1, 1}

// Pool returns the mean of the array over the pixels of every superpixel, sp.N x Channels
// row-major, where sp covers a frame of the picture. Between the centers of cells values are
// interpolated. It takes sp.N x Height x Width x 4 bytes.
func (a *Array) Pool(sp *superpixel.Map, f Frame) []float32 {
	columns, rows := axis(sp.Width, a.Width, f.X0, f.X1), axis(sp.Height, a.Height, f.Y0, f.Y1)
	cells := a.Height * a.Width
	weights := make([]float32, sp.N*cells)
	for i, k := range sp.Labels {
		x, y := &columns[i%sp.Width], &rows[i/sp.Width]
		of := weights[int(k)*cells:][:cells]
		for v, at := range y.cell {
			for u := range x.cell {
				of[at*a.Width+x.cell[u]] += float32(y.share[v] * x.share[u])
			}
		}
	}
	out := make([]float32, sp.N*a.Channels)
	for k, size := range sp.Sizes() {
		row := out[k*a.Channels:][:a.Channels]
		for cell, w := range weights[k*cells:][:cells] {
			if w == 0 {
				continue
			}
			addTimes(row, a.Values[cell*a.Channels:], w/float32(size))
		}
	}
	return out
}

// AddTimes adds t*a to dst, over its length.
func AddTimes(dst, a []float32, t float32) { addTimes(dst, a, t) }

func addTimesGeneric(dst, a []float32, t float32) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] += float32(t * a[i])
	}
}

// Resize returns the array on another grid. Between the centers of cells values are interpolated.
func (a *Array) Resize(height, width int) *Array {
	out := &Array{height, width, a.Channels, make([]float32, height*width*a.Channels)}
	a.resizeTo(out, 0)
	return out
}

// resizeTo adds the array, resized, to the channels of another from first on.
func (a *Array) resizeTo(out *Array, first int) {
	columns, rows := axis(out.Width, a.Width, 0, 1), axis(out.Height, a.Height, 0, 1)
	line := make([]float32, a.Width*a.Channels) // between two rows of cells
	for i, y := range rows {
		clear(line)
		for v, at := range y.cell {
			addTimes(line, a.Values[at*len(line):], y.share[v])
		}
		for j, x := range columns {
			cell := out.Values[(i*out.Width+j)*out.Channels+first:][:a.Channels]
			for u, at := range x.cell {
				addTimes(cell, line[at*a.Channels:], x.share[u])
			}
		}
	}
}

// With returns the array with the channels of another after its own, resized if its grid is not
// the same.
func (a *Array) With(b *Array) *Array {
	out := &Array{a.Height, a.Width, a.Channels + b.Channels, make([]float32, a.Height*a.Width*(a.Channels+b.Channels))}
	for i := range a.Height * a.Width {
		copy(out.Values[i*out.Channels:], a.Values[i*a.Channels:][:a.Channels])
	}
	b.resizeTo(out, a.Channels)
	return out
}

// Beside sets the means of the array over every superpixel beside its other features x, sp.N rows.
// Without an array they stay as they are.
func (a *Array) Beside(x []float32, sp *superpixel.Map) []float32 {
	if a == nil {
		return x
	}
	return Beside(x, len(x)/sp.N, a.Pool(sp, Whole), a.Channels)
}

// A between says between which two cells a pixel lies, and how much it has of each.
type between struct {
	cell  [2]int
	share [2]float32
}

// axis places n pixels that span the shares from..to of a side of so many cells.
func axis(n, cells int, from, to float64) []between {
	out := make([]between, n)
	for i := range out {
		at := from + float64((to-from)*(float64(i)+0.5)/float64(n))
		at = min(max(float64(at*float64(cells))-0.5, 0), float64(cells-1))
		low := math.Floor(at)
		share := float32(at - low)
		out[i] = between{[2]int{int(low), min(int(low)+1, cells-1)}, [2]float32{1 - share, share}}
	}
	return out
}
