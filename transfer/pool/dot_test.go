package pool

import "testing"

// 1..17 squared, by hand: eight parts, and one value that is left over.
func TestDot(t *testing.T) {
	ramp := make([]float32, 17)
	for i := range ramp {
		ramp[i] = float32(i + 1)
	}
	if got := dot(ramp, ramp); got != 1785 {
		t.Errorf("got %v, want 17·18·35/6 = 1785", got)
	}
}
