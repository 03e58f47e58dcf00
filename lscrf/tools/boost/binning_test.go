package boost

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestQuantilesByHand(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name    string
		x       []float32
		borders int
		want    []float32
	}{
		{"few values: one border between any two", []float32{3, 1, 1, 2}, 5, []float32{1.5, 2.5}},
		{"eight values, four bins of two", []float32{8, 7, 6, 5, 4, 3, 2, 1}, 3, []float32{2.5, 4.5, 6.5}},
		// Zero fills more than a third of the rows and gets a bin; the other four share two.
		{"a heavy value", []float32{0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, 2, []float32{0.5, 2.5}},
		{"a constant has no border", []float32{7, 7, 7}, 4, []float32{}},
		{"NaN does not count", []float32{nan, 1, nan, 3}, 4, []float32{2}},
		{"nothing", nil, 4, []float32{}},
	} {
		b := binned(c.x, 1, c.borders).Binning
		if !slices.Equal(b.Borders[0], c.want) {
			t.Errorf("%s: got %v, want %v", c.name, b.Borders[0], c.want)
		}
	}
}

// Whatever the values: borders ascend, are few enough, and every bin holds a value.
func TestQuantilesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float32(), rapid.Map(rapid.IntRange(0, 5), func(i int) float32 { return float32(i) })), 1, 300).Draw(t, "x")
		most := rapid.IntRange(1, 255).Draw(t, "borders")
		b := binned(x, 1, most)
		if err := b.Binning.Validate(); err != nil {
			t.Fatal(err)
		}
		borders := len(b.Binning.Borders[0])
		if borders > most {
			t.Fatalf("got %d borders, want at most %d", borders, most)
		}
		seen := map[uint8]bool{}
		for _, v := range b.Column(0) {
			seen[v] = true
		}
		if len(seen) != borders+1 {
			t.Fatalf("%d borders make %d bins in use", borders, len(seen))
		}
	})
}

// Continuous values fill their bins evenly: none has more than twice its share.
func TestQuantilesAreEven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float32, 100_000)
	for i := range x {
		x[i] = float32(r.ExpFloat64())
	}
	count := make([]int, 128)
	for _, v := range binned(x, 1, 127).Column(0) {
		count[v]++
	}
	for i, n := range count {
		if n < 390 || n > 1563 {
			t.Errorf("bin %d has %d of 100,000 rows, want about 781", i, n)
		}
	}
}

func TestBinDoesNotDependOnWorkers(t *testing.T) {
	x, _ := noisy(3, 1000, 7)
	one, four := BinParts([][]float32{x}, 7, 40, 1), BinParts([][]float32{x}, 7, 40, 4)
	if !one.Binning.equal(four.Binning) || !slices.Equal(one.bins, four.bins) {
		t.Error("1 and 4 workers differ")
	}
}

func TestSortFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOf(rapid.Float32()).Draw(t, "x")
		want := slices.Clone(x)
		slices.Sort(want)
		sortFloats(x, make([]float32, len(x)))
		if !slices.Equal(x, want) {
			t.Fatalf("got %v, want %v", x, want)
		}
	})
}

// The bin of v is the number of borders below v.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	inf := float32(math.Inf(1))
	for _, n := range []int{0, 1, 2, 31, 32, 63, 64, 127, 128, 255} {
		borders := make([]float32, n)
		for i := range borders {
			borders[i] = float32(i-n/2) / 4
		}
		x := []float32{-inf, inf, 0, float32(math.Copysign(0, -1)), float32(math.NaN()), 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat32}
		for range 200 {
			x = append(x, float32(r.IntN(n+3)-n/2-1)/4+float32(r.IntN(3)-1)*1e-3)
		}
		keys := searchKeys(borders)
		for _, v := range x {
			want := 0
			for _, b := range borders {
				if v > b {
					want++
				}
			}
			if got := search(keys, v); int(got) != want {
				t.Errorf("%d borders: bin of %v: got %d, want %d", n, v, got, want)
			}
		}
	}
}

// TestBinParts cuts rows that lie in one slice, and the same rows in several, with columns that come later.
func TestBinParts(t *testing.T) {
	const n, dim = sampledRows + 999, 3
	x := make([]float32, n*dim)
	for i := range x {
		x[i] = float32(uniform(1, 2, uint64(i)))
	}
	want := binned(x, dim, 20)
	cut := []int{0, 1, 1, 500, n - 7, n}
	var left, right, whole [][]float32
	for i := range cut[1:] {
		part := x[cut[i]*dim : cut[i+1]*dim]
		whole, left, right = append(whole, part), append(left, nil), append(right, nil)
		for ; len(part) > 0; part = part[dim:] {
			left[i], right[i] = append(left[i], part[:2]...), append(right[i], part[2])
		}
	}
	for what, got := range map[string]*Binned{
		"in parts": BinParts(whole, dim, 20, 2),
		"beside":   BinParts(left, 2, 20, 1).Beside(BinParts(right, 1, 20, 2)),
	} {
		if got.N != n || !got.Binning.equal(want.Binning) || !slices.Equal(got.bins, want.bins) {
			t.Errorf("%s: other bins than of one slice", what)
		}
	}
}
