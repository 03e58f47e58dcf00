package pool

// dot returns Σ aᵢbᵢ, summed in eight interleaved parts, which are then added in a fixed order.
func dot(a, b []float32) float32 {
	var s [8]float32
	n := len(a) &^ 7
	for i := 0; i < n; i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s[0] += x[0] * y[0]
		s[1] += x[1] * y[1]
		s[2] += x[2] * y[2]
		s[3] += x[3] * y[3]
		s[4] += x[4] * y[4]
		s[5] += x[5] * y[5]
		s[6] += x[6] * y[6]
		s[7] += x[7] * y[7]
	}
	t := (s[0] + s[4]) + (s[1] + s[5]) + ((s[2] + s[6]) + (s[3] + s[7]))
	for i := n; i < len(a); i++ {
		t += a[i] * b[i]
	}
	return t
}
