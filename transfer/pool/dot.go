package pool

//go:generate go run hdseg/transfer/pool/internal/gen -out dot_amd64.s -stubs dot_stubs_amd64.go -pkg pool

// products sets out[i] to the inner product of the descriptor of windows[i] and another, four windows at a time.
func (p *Pool) products(out []float32, windows []int, d []float32) {
	for i := 0; i < len(windows); i += 4 {
		var rows [4][]float32
		for k := range rows {
			rows[k] = p.descriptor(windows[min(i+k, len(windows)-1)]) // the last again where there are no four
		}
		four := dots(&rows, d)
		copy(out[i:len(windows)], four[:])
	}
}

// dotsGeneric returns the inner product of each row with x.
func dotsGeneric(rows *[4][]float32, x []float32) (out [4]float32) {
	for k, row := range rows {
		out[k] = dot(row, x)
	}
	return out
}

// dot returns Σ aᵢbᵢ, summed in eight interleaved parts.
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
	return total(&s, a[n:], b[n:])
}

// total adds the eight parts, and then the products that are left.
func total(s *[8]float32, a, b []float32) float32 {
	t := (s[0] + s[4]) + (s[1] + s[5]) + ((s[2] + s[6]) + (s[3] + s[7]))
	for i := range a {
		t += a[i] * b[i]
	}
	return t
}
