package superpixel

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// parse makes a labeling of rows of digits.
func parse(rows ...string) (labels []int32, w, h int) {
	for _, r := range rows {
		for _, c := range r {
			labels = append(labels, c-'0')
		}
	}
	return labels, len(rows[0]), len(rows)
}

func mapOf(n int, rows ...string) *Map {
	l, w, h := parse(rows...)
	return &Map{Labels: l, Width: w, Height: h, N: n}
}

// 5 wide, 3 high:  0 touches 1 and 2; 1 touches 2 and 3; 2 touches 3; 0 and 3 meet only at a corner, which does
// not count.
func TestMap(t *testing.T) {
	m := mapOf(4,
		"00111",
		"00111",
		"22333")
	if err := m.check(5, 3); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Sizes(), []int32{4, 6, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("sizes %v, want %v", got, want)
	}
	if got, want := m.Edges(), [][2]int32{{0, 1}, {0, 2}, {1, 3}, {2, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	if got, want := m.Centers(), []float64{0.5, 0.5, 3, 0.5, 0.5, 2, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("centers %v, want %v", got, want)
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, m := range map[string]*Map{
		"size":      mapOf(2, "001", "011"),
		"gap":       mapOf(3, "0022", "0022"),
		"order":     mapOf(2, "1100", "1100"),
		"count":     mapOf(3, "0011", "0011"),
		"negative":  {Labels: []int32{0, -1, 0, 0, 0, 0, 0, 0}, Width: 4, Height: 2, N: 1},
		"too short": {Labels: []int32{0, 0}, Width: 4, Height: 2, N: 1},
		"in pieces": mapOf(2, "0101", "0101"),
	} {
		if m.check(4, 2) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A labeling is cut where it is not connected; a U and a comb need runs to be united late.
func TestComponents(t *testing.T) {
	for _, c := range [][2][]string{
		{{"0100", "0110", "0000"}, {"0100", "0110", "0000"}},
		{{"0110", "1111", "0110"}, {"0112", "1111", "3114"}},
		{{"0101", "0101", "0001"}, {"0102", "0102", "0002"}},
		{{"1010101", "1010101", "1111111"}, {"0102030", "0102030", "0000000"}},
		{{"77777"}, {"00000"}},
		{{"3", "3", "5", "3"}, {"0", "0", "1", "2"}},
	} {
		got, w, h := parse(c[0]...)
		want, _, _ := parse(c[1]...)
		if n := Components(got, w, h); !slices.Equal(got, want) || n != int(slices.Max(want))+1 {
			t.Errorf("%v: got %v (%d), want %v", c[0], got, n, want)
		}
	}
}

// flood is components by flood fill.
func flood(labels []int32, w int) []int32 {
	out := make([]int32, len(labels))
	for i := range out {
		out[i] = -1
	}
	next := int32(0)
	for s := range out {
		if out[s] >= 0 {
			continue
		}
		stack := []int{s}
		out[s] = next
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, d := range around(i, w, len(labels)) {
				if out[d] < 0 && labels[d] == labels[i] {
					out[d] = next
					stack = append(stack, d)
				}
			}
		}
		next++
	}
	return out
}

// around returns the 4-neighbours of pixel i of n.
func around(i, w, n int) (js []int) {
	if i%w > 0 {
		js = append(js, i-1)
	}
	if i%w < w-1 {
		js = append(js, i+1)
	}
	if i >= w {
		js = append(js, i-w)
	}
	if i+w < n {
		js = append(js, i+w)
	}
	return js
}

// Random labelings: components are those of a flood fill, and edges those of looking at every pixel pair.
func TestComponentsAndEdgesRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		w, h, k := 1+rng.IntN(12), 1+rng.IntN(12), 1+rng.IntN(4)
		labels := make([]int32, w*h)
		for i := range labels {
			labels[i] = int32(rng.IntN(k))
		}
		want := flood(labels, w)
		n := Components(labels, w, h)
		if !slices.Equal(labels, want) || n != int(slices.Max(want))+1 {
			t.Fatalf("%d x %d: got %v, want %v", h, w, labels, want)
		}
		m := &Map{Labels: labels, Width: w, Height: h, N: n}
		if err := m.check(w, h); err != nil {
			t.Fatal(err)
		}
		pairs := map[[2]int32]bool{}
		for i, l := range labels {
			for _, j := range around(i, w, len(labels)) {
				if labels[j] > l {
					pairs[[2]int32{l, labels[j]}] = true
				}
			}
		}
		edges := m.Edges()
		for i, e := range edges {
			if !pairs[e] || i > 0 && !(edges[i-1][0] < e[0] || edges[i-1][0] == e[0] && edges[i-1][1] < e[1]) {
				t.Fatalf("edges %v", edges)
			}
		}
		if len(edges) != len(pairs) {
			t.Fatalf("%d edges, want %d", len(edges), len(pairs))
		}
	}
}

// check returns an error if m does not keep the promises of its type, or is not width x
// height.
func (m *Map) check(width, height int) error {
	if m.Width != width || m.Height != height || len(m.Labels) != width*height {
		return fmt.Errorf("superpixel: map of %d labels for %d x %d: want %d x %d", len(m.Labels), m.Height, m.Width, height, width)
	}
	next := int32(0)
	for i, l := range m.Labels {
		if l < 0 || l > next {
			return fmt.Errorf("superpixel: label %d at pixel %d: want 0..%d", l, i, next)
		}
		if l == next {
			next++
		}
	}
	if int(next) != m.N {
		return fmt.Errorf("superpixel: got %d labels, want %d", next, m.N)
	}
	if n := Components(slices.Clone(m.Labels), width, height); n != m.N {
		return fmt.Errorf("superpixel: %d superpixels in %d pieces: want every one connected", m.N, n)
	}
	return nil
}
