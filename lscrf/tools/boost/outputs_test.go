package boost

import (
	"reflect"
	"testing"
)

// One output trains the same trees shared or not, and an output beside its copy does too.
func TestSharedEqualsIndependent(t *testing.T) {
	x, y := noisy(8, 2000, 6)
	opt := Defaults()
	opt.Trees = 10
	one, _ := mustFit(t, rowData(x, y, 6, 32), opt, 1)
	opt.Leaves = Shared
	shared, _ := mustFit(t, rowData(x, y, 6, 32), opt, 1)
	if !reflect.DeepEqual(one.Sequences, shared.Sequences) {
		t.Error("one output: shared and independent trees differ")
	}
	twice := make([]float32, 0, 4000)
	for _, v := range y {
		twice = append(twice, v, v)
	}
	opt.Sampling, opt.RowSample = Uniform, 1
	two, _ := mustFit(t, rowData(x, twice, 6, 32), opt, 1)
	one, _ = mustFit(t, rowData(x, y, 6, 32), opt, 1)
	for i, tree := range two.Sequences[0].Trees {
		want := one.Sequences[0].Trees[i]
		if !reflect.DeepEqual(tree.Questions, want.Questions) {
			t.Fatalf("tree %d: got %v, want %v", i, tree.Questions, want.Questions)
		}
		for j, v := range want.Values {
			if tree.Values[2*j] != v || tree.Values[2*j+1] != v {
				t.Fatalf("tree %d, leaf %d: got %v, want %v twice", i, j, tree.Values[2*j:2*j+2], v)
			}
		}
	}
}

// More outputs than a cell holds: questions are found on a sketch, and all outputs learn.
func TestManyOutputs(t *testing.T) {
	const outputs = 20
	x, _ := noisy(9, 3000, 4)
	y := make([]float32, 3000*outputs)
	for i := range 3000 {
		for k := range outputs {
			if x[4*i+k%4] > float32(k/4)/2-1 {
				y[i*outputs+k] = 1
			}
		}
	}
	opt := Defaults()
	opt.Trees, opt.Leaves = 150, Shared
	m, _ := mustFit(t, rowData(x, y, 4, 64), opt, 2)
	p := m.PredictRows(x, 3000, 1)
	for k := range outputs {
		if mse := meanSquare(output(p, outputs, k), output(y, outputs, k)); mse > 0.02 {
			t.Errorf("output %d: mean squared error %v, want below 0.02", k, mse)
		}
	}
}
