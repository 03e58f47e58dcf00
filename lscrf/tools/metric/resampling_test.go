package metric

import "testing"

// Resampling that is stopped ends at once and gives no result, whatever was drawn before.
func TestResamplingStops(t *testing.T) {
	asked := 0
	often := Resampling{Samples: 1 << 40, Stop: func() bool { asked++; return asked > 5 }} // would not end, nor find the memory, otherwise
	scored := 0
	if got := Bootstrap(3, Resampling{Samples: 1000, Stop: often.Stop}, pcg(1), func([]int) Value { scored++; return Of(1) }); got != (Interval{}) || scored != 5 {
		t.Errorf("bootstrap: got %v after %d draws, want none after 5", got, scored)
	}
	asked, scored = 0, 0
	if d, p := Permutation(3, often, pcg(1), func([]bool) Value { scored++; return Of(2) }); d != Of(2) || p.OK || scored != 6 {
		t.Errorf("permutation: got %v and p %v after %d, want what was observed and no p after 6", d, p, scored)
	}
}
