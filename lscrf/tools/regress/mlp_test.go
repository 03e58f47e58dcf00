package regress

import (
	"slices"
	"testing"
)

// quarters returns points whose label is 1 in two opposite quarters of the plane, which no linear function tells apart, and whose
// third feature never varies.
func quarters(n int, seed uint64) (rows [][]float32, y []uint8) {
	r := pcg(seed)
	for range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		rows = append(rows, []float32{float32(300 + 5*a), float32(b), 7})
		y = append(y, uint8(0))
		if a*b > 0 {
			y[len(y)-1] = 1
		}
	}
	return rows, y
}

func all(int) bool { return true }

func fitMLP(rows [][]float32, y []uint8, use func(i int) bool) *MLP {
	return FitMLP(rows, y, use, func(int, int) bool { return true })
}

// TestMLP learns what is not linear, on every set of kernels to the same bits, and from the rows alone that it may use.
func TestMLP(t *testing.T) {
	rows, y := quarters(4000, 1)
	more, truth := quarters(1000, 2)
	defer func(k kernelSet) { kernels = k }(kernels)
	var first *MLP
	for _, kernels = range kernelSets() {
		m := fitMLP(rows, y, all)
		p := m.Predict(more)
		right := 0
		for i, v := range p {
			if (v > 0.5) == (truth[i] == 1) {
				right++
			}
		}
		if right < 930 {
			t.Errorf("%s: %d of 1000 new points right", kernels.name, right)
		}
		if first == nil {
			first = m
		}
		if !slices.Equal(m.W, first.W) || !slices.Equal(m.V, first.V) || !slices.Equal(p, first.Predict(more)) {
			t.Errorf("%s: other weights than %s", kernels.name, kernelSets()[0].name)
		}
	}
	if err := first.Check(3); err != nil {
		t.Error(err)
	}
	if first.Check(4) == nil {
		t.Error("taken for one of four features")
	}
	wrong := slices.Clone(y)
	for i := range wrong[:2000] {
		wrong[i] = 1 - y[i]
	}
	half := func(i int) bool { return i >= 2000 }
	want := fitMLP(rows, y, half)
	if !slices.Equal(fitMLP(rows, wrong, half).W, want.W) {
		t.Error("labels of rows that are not to be used change the weights")
	}
	for i := range wrong[:2000] {
		wrong[i] = Skip
	}
	if !slices.Equal(fitMLP(rows, wrong, all).W, want.W) {
		t.Error("rows without a label are used")
	}
}

// TestMLPEnds stops training when it is told to, and gives probabilities where there is nothing to learn from.
func TestMLPEnds(t *testing.T) {
	rows, y := quarters(100, 4)
	passes := 0
	if m := FitMLP(rows, y, all, func(done, total int) bool { passes++; return done < 3 }); m != nil || passes != 3 {
		t.Errorf("got %v after %d passes, want none after 3", m, passes)
	}
	for _, v := range fitMLP(rows, y, func(int) bool { return false }).Predict(rows) {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("without a row: probability %v", v)
		}
	}
}
