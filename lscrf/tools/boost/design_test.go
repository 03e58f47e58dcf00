package boost

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// pairWorld returns random nodes with few distinct values, edges in random order with
// repetitions, and targets that depend on both ends.
func pairWorld(seed uint64, nodes, dim, edges int) (x []float32, list [][2]int32, y []float32) {
	r := rand.New(rand.NewPCG(seed, 9))
	x = make([]float32, nodes*dim)
	for i := range x {
		x[i] = float32(r.IntN(12))
	}
	for range edges {
		e := [2]int32{int32(r.IntN(nodes)), int32(r.IntN(nodes))}
		list = append(list, e)
		y = append(y, x[int(e[0])*dim]-x[int(e[1])*dim+1]+float32(r.NormFloat64()))
	}
	return x, list, y
}

// builtRows returns the rows that a pair design stands for, with the same borders.
func builtRows(b *Binning, x []float32, edges [][2]int32) Design {
	dim := b.Dim()
	var rows []float32
	for _, e := range edges {
		rows = append(append(rows, x[int(e[0])*dim:][:dim]...), x[int(e[1])*dim:][:dim]...)
	}
	twice := &Binning{Borders: slices.Concat(b.Borders, b.Borders)}
	return Rows(twice.Bin(rows, len(edges), 1))
}

// A pair design trains and predicts what its rows would.
func TestPairsEqualRows(t *testing.T) {
	x, edges, y := pairWorld(1, 60, 19, 3000)
	b := binned(x, 19, 32).Binning
	pairs, rows := Pairs(b.Bin(x, 60, 1), edges), builtRows(b, x, edges)
	for name, change := range map[string]func(*Options){
		"defaults":  func(o *Options) { o.ColumnSample = 1 }, // lanes of pairs and rows are grouped differently
		"all rows":  func(o *Options) { o.ColumnSample, o.RowSample = 1, 1 },
		"depth 8":   func(o *Options) { o.ColumnSample, o.Depth = 1, 8 },
		"two":       func(o *Options) { o.ColumnSample, o.Leaves = 1, Shared },
		"one level": func(o *Options) { o.ColumnSample, o.Depth = 1, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			opt := Defaults()
			opt.Trees = 20
			change(&opt)
			var m [2]*Model
			var out [2][]float32
			for i, d := range []Design{pairs, rows} {
				data := Data{Design: d, Outputs: 1, Targets: y}
				if opt.Leaves == Shared {
					data.Outputs, data.Targets = 2, slices.Concat(y[:1500], y[:1500], y[1500:], y[1500:])
					data.Targets = data.Targets[:2*len(edges)]
				}
				var err error
				if m[i], err = Fit(data, opt, 2, nil); err != nil {
					t.Fatal(err)
				}
				out[i] = m[i].Predict(d, 2)
			}
			if !reflect.DeepEqual(m[0].Sequences, m[1].Sequences) {
				t.Error("trees differ")
			}
			if !slices.Equal(out[0], out[1]) {
				t.Error("predictions differ")
			}
			if len(m[0].Sequences[0].Trees) != 20 {
				t.Error("not 20 trees")
			}
		})
	}
}

// Questions of two features: head 0 above bin 0, tail 1 above bin 1.
func TestAnswerByHand(t *testing.T) {
	b := &Binning{Borders: [][]float32{{0.5}, {0.5, 1.5}}}
	nodes := b.Bin([]float32{0, 2, 1, 1}, 2, 1) // bins (0, 2) and (1, 1)
	d := Pairs(nodes, [][2]int32{{0, 1}, {1, 0}, {1, 1}, {0, 0}})
	leaf := make([]uint8, 4)
	d.answer(leaf, []Question{{0, 0}, {3, 1}}, 1)
	if want := []uint8{0, 3, 1, 2}; !slices.Equal(leaf, want) {
		t.Errorf("got leaves %v, want %v", leaf, want)
	}
}

func TestPairsPanicsOutside(t *testing.T) {
	b := (&Binning{Borders: [][]float32{{0.5}}}).Bin([]float32{0, 1}, 2, 1)
	peer.Panics(t, map[string]func(){"a node that does not exist": func() { Pairs(b, [][2]int32{{0, 2}}) }})
}
