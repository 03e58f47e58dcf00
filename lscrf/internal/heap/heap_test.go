package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type number int

func (n number) Before(o number) bool { return n < o }

// What is popped while more is pushed is always the least of what is in.
func TestPopIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h Heap[number]
	var in []number
	popped := 0
	for range 2000 {
		if len(in) == 0 || rng.IntN(5) > 1 {
			n := number(rng.IntN(50))
			h.Push(n)
			in = append(in, n)
			continue
		}
		least := slices.Min(in)
		if got := h.Pop(); got != least {
			t.Fatalf("got %d, want %d", got, least)
		}
		at := slices.Index(in, least)
		in = slices.Delete(in, at, at+1)
		popped++
	}
	if popped < 100 || len(h) != len(in) {
		t.Errorf("%d popped, %d left, want %d", popped, len(h), len(in))
	}
}
