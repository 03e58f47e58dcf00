package network

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// Name is how settings, models and manifests name the network.
const Name = "lite0"

// Channels is the number of values of a cell: blocks 10 and 15 have 112 and 320.
const Channels = 112 + 320

// The longer side of a picture as the network sees it is side pixels, so that objects of small
// pictures are as large as those it learned from, but at most enlarge times its own. Chosen on the
// VOC horses and dogs (lscrf/NETWORKS.md).
const (
	side    = 750
	enlarge = 4
)

// Numbers of the network are fixed-point: a value v stands for v / 2^bits. ReLU6 leaves 0 to 6,
// what ends a block lies within 128, pixels within 1.
const (
	pixelBits = 7
	innerBits = 10
	outerBits = 8
)

//go:embed lite0.bin
var weights []byte

// Digest is that of the weights and of how pictures are sized.
var Digest = sync.OnceValue(func() string { return string(manifests.Sum(fmt.Appendf(nil, "%d %d %s", side, enlarge, weights))) })

// shapes are the blocks: how many times the channels are expanded, the side of the window, the
// stride, the channels after it.
var shapes = []struct{ expand, window, stride, outputs int }{
	{1, 3, 1, 16}, {6, 3, 2, 24}, {6, 3, 1, 24}, {6, 5, 2, 40}, {6, 5, 1, 40}, {6, 3, 2, 80}, {6, 3, 1, 80}, {6, 3, 1, 80},
	{6, 5, 1, 112}, {6, 5, 1, 112}, {6, 5, 1, 112}, {6, 5, 2, 192}, {6, 5, 1, 192}, {6, 5, 1, 192}, {6, 5, 1, 192}, {6, 3, 1, 320},
}

const (
	stemOutputs = 32
	fine        = 10 // the last block of stride 16
)

// A layer is a convolution in the order in which kernels read it.
type layer struct {
	pairs, outputs int // pairs of inputs
	weights        []int16
	bias           []int32
	rounding
}

// A block expands the channels of a cell, filters each alone, and projects them to fewer.
type block struct {
	expand         *layer // nil for the first
	filter         layer
	project        layer
	window, stride int
}

// lite0 is the network.
var lite0 = sync.OnceValue(func() (n struct {
	stem   layer
	blocks []block
}) {
	r := reader{weights}
	n.stem = r.layer(27, stemOutputs, pixelBits, innerBits)
	in := stemOutputs
	for _, s := range shapes {
		b := block{window: s.window, stride: s.stride}
		inner := in * s.expand
		if s.expand > 1 {
			l := r.layer(in, inner, outerBits, innerBits)
			b.expand = &l
		}
		b.filter = r.layer(s.window*s.window, inner, innerBits, innerBits)
		b.project = r.layer(inner, s.outputs, innerBits, outerBits)
		n.blocks = append(n.blocks, b)
		in = s.outputs
	}
	if len(r.data) > 0 {
		panic("network: lite0.bin is too long")
	}
	return n
})

// A reader takes layers from the file of weights: for each a bias and a scale per output, float32,
// and then its weights, each a number of 8 bits times the scale, by outputs, places (row-major) and
// inputs.
type reader struct{ data []byte }

func (r *reader) floats(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(r.data[4*i:])))
	}
	r.data = r.data[4*n:]
	return out
}

// layer reads one whose inputs are the channels of single cells, or the places of a window of a
// single channel.
func (r *reader) layer(inputs, outputs, from, to int) layer {
	bias, scale := r.floats(outputs), r.floats(outputs)
	largest := 0.0
	for _, s := range scale {
		largest = max(largest, 127*s)
	}
	bits := 14 // so that sums fit 32 bits
	for math.Ldexp(largest, bits) > math.MaxInt16 {
		bits--
	}
	l := layer{pairs: (inputs + 1) / 2, outputs: outputs, bias: make([]int32, padded(outputs)),
		rounding: rounding{from + bits - to, 0, 6 << innerBits}}
	if to == outerBits {
		l.low, l.top = math.MinInt16, math.MaxInt16
	}
	l.weights = make([]int16, 2*l.pairs*padded(outputs))
	for o, s := range scale {
		block, at := o/lanes, lane[o%lanes]
		half := int32(1) << l.shift >> 1 // so that sums are rounded to the nearest
		l.bias[block*lanes+at] = int32(math.Round(math.Ldexp(bias[o], from+bits))) + half
		for i, w := range r.data[:inputs] {
			place := (block*l.pairs+i/2)*lanes + at
			l.weights[2*place+i%2] = int16(math.Round(math.Ldexp(float64(int8(w))*s, bits)))
		}
		r.data = r.data[inputs:]
	}
	return l
}

// padded rounds channels up to what kernels make at a time.
func padded(channels int) int { return (channels + lanes - 1) / lanes * lanes }

// cells computes a layer that sees single cells, for n of them.
func (l *layer) cells(dst, src []int16, from, n int) {
	to, pairs := padded(l.outputs), l.pairs
	for o := 0; o < to; o += lanes {
		kernels.pointwise(dst[o:], to, src, from, n, pairs, l.weights[2*o*pairs:][:2*lanes*pairs], l.bias[o:][:lanes], &l.rounding)
	}
}

// A grid has padded(channels) values for each of height x width cells.
type grid struct {
	height, width, channels int
	values                  []int16
}

// buffers are what a picture is computed in, 8 MB. They wait for the next one: new memory costs a
// tenth of the time.
type buffers struct {
	grids          [2][]int16
	ring, filtered []int16
}

var idle = make(chan *buffers, 256)

func borrow() *buffers {
	select {
	case b := <-idle:
		return b
	default:
		return new(buffers)
	}
}

func (b *buffers) giveBack() {
	select {
	case idle <- b:
	default:
	}
}

// sized returns n values of a buffer, whatever they are.
func sized(b *[]int16, n int) []int16 {
	if cap(*b) < n {
		*b = make([]int16, n)
	}
	return (*b)[:n]
}

// grid returns a grid in the first or second buffer.
func (b *buffers) grid(which, height, width, channels int) grid {
	return grid{height, width, channels, sized(&b.grids[which], height*width*padded(channels))}
}

func (g *grid) row(y int) []int16 {
	n := g.width * padded(g.channels)
	return g.values[y*n:][:n]
}

// before is how many cells of border lie before the first that a window sees; as many, or one more
// if it was trained with a stride of 2, lie after the last.
func before(window, stride int) int { return (window - stride) / 2 }

// run computes the block a row at a time: of the expanded rows, only those in the window are kept.
// The output is in the buffer that to names.
func (b *block) run(in grid, buf *buffers, to int) grid {
	inner := padded(b.filter.outputs)
	first := before(b.window, b.stride)
	out := buf.grid(to, in.height/b.stride, in.width/b.stride, b.project.outputs)
	width := (in.width + b.window) * inner // of an expanded row
	ring := sized(&buf.ring, b.window*width)
	clear(ring)
	filtered := sized(&buf.filtered, out.width*inner)
	taps := make([]int, b.window*b.window+1)
	next := -first
	for y := range out.height {
		for ; next < y*b.stride-first+b.window; next++ {
			row := ring[(next+first)%b.window*width:][:width]
			at := row[first*inner:][:in.width*inner]
			switch {
			case next < 0 || next >= in.height:
				clear(row)
			case b.expand == nil:
				copy(at, in.row(next))
			default:
				b.expand.cells(at, in.row(next), padded(in.channels), in.width)
			}
		}
		for t := range b.window * b.window {
			taps[t] = (y*b.stride+t/b.window)%b.window*width + t%b.window*inner
		}
		kernels.depthwise(filtered, inner, ring, b.stride*inner, out.width, taps, b.filter.weights, b.filter.bias, &b.filter.rounding)
		b.project.cells(out.row(y), filtered, inner, out.width)
	}
	if b.stride == 1 && in.channels == out.channels {
		kernels.add(out.values, in.values)
	}
	return out
}

// stem computes the first layer of a picture: windows of 3 x 3 pixels, two apart.
func (l *layer) stem(im *raster.RGB, buf *buffers) grid {
	out := buf.grid(1, im.Height/2, im.Width/2, l.outputs)
	const inputs = 28 // even
	row := make([]int16, out.width*inputs)
	for y := range out.height {
		clear(row)
		for x := range out.width {
			cols := min(3, im.Width-2*x)
			for v := range min(3, im.Height-2*y) {
				at := row[x*inputs+9*v:]
				for i, p := range im.Pix[((2*y+v)*im.Width+2*x)*3:][:3*cols] {
					at[i] = int16(p) - 127
				}
			}
		}
		l.cells(out.row(y), row, inputs, out.width)
	}
	return out
}

// array returns the values of a grid without what pads them.
func (g *grid) array() *feature.Array {
	a := &feature.Array{Height: g.height, Width: g.width, Channels: g.channels, Values: make([]float32, 0, g.height*g.width*g.channels)}
	for i := 0; i < len(g.values); i += padded(g.channels) {
		for _, v := range g.values[i:][:g.channels] {
			a.Values = append(a.Values, float32(v)/(1<<outerBits))
		}
	}
	return a
}

// Array returns what the network says of an upright picture: for every cell of a grid of 16 x 16
// pixels of the picture as it sees it, Channels values within 128, of block 10 and, interpolated,
// of block 15. It takes about 30 ms (AVX-512) and 10 MB for 500 x 375 pixels.
func Array(im *raster.RGB) *feature.Array {
	n := lite0()
	long := max(im.Width, im.Height)
	f := min(enlarge, side/float64(long))
	whole := func(n int) int { return 32 * max(1, int(math.Round(f*float64(n)/32))) }
	buf := borrow()
	defer buf.giveBack()
	g := n.stem.stem(raster.Resize(im, whole(im.Width), whole(im.Height)), buf)
	var out *feature.Array
	for i := range n.blocks {
		g = n.blocks[i].run(g, buf, i%2)
		if i == fine {
			out = g.array()
		}
	}
	return out.With(g.array())
}
