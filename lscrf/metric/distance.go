package metric

// far is the squared distance where there is nothing to be near to.
const far = int64(1) << 40

// squaredDistance returns for every pixel the squared Euclidean distance to the nearest
// set pixel, exactly; far if there is none. It takes time linear in the pixels: nearest
// along columns first, then per row the lower envelope of the parabolas (x-q)² + column²(q)
// (Felzenszwalb and Huttenlocher, "Distance transforms of sampled functions", 2012).
func squaredDistance(set []bool, width, height int) []int64 {
	d := make([]int64, len(set))
	above := make([]int, width) // rows since the last set pixel of each column
	for x := range above {
		above[x] = -1
	}
	for y := range height {
		for x := range width {
			i := y*width + x
			switch {
			case set[i]:
				above[x] = 0
			case above[x] >= 0:
				above[x]++
			}
			d[i] = far
			if above[x] >= 0 {
				d[i] = int64(above[x])
			}
		}
	}
	for y := height - 2; y >= 0; y-- {
		for x := range width {
			i := y*width + x
			if d[i+width] != far {
				d[i] = min(d[i], d[i+width]+1)
			}
		}
	}
	e := envelope{vertex: make([]int, width), from: make([]int, width), value: make([]int64, width)}
	for y := range height {
		e.row(d[y*width : (y+1)*width])
	}
	return d
}

// An envelope is the lower envelope of a row's parabolas: the k-th has its lowest point at vertex[k] with
// height value[k] and is the lowest from pixel from[k] up to from[k+1].
type envelope struct {
	vertex, from []int
	value        []int64
}

// row replaces distances along the columns by squared distances in the plane.
func (e *envelope) row(d []int64) {
	k := -1
	for q, v := range d {
		if v == far {
			continue
		}
		v *= v
		start := 0
		for k >= 0 {
			start = takeover(e.vertex[k], e.value[k], q, v)
			if start > e.from[k] {
				break
			}
			k--
		}
		if k < 0 {
			start = 0
		}
		if start >= len(d) {
			continue
		}
		k++
		e.vertex[k], e.value[k], e.from[k] = q, v, start
	}
	if k < 0 {
		return
	}
	for j := 0; j <= k; j++ {
		end := len(d)
		if j < k {
			end = e.from[j+1]
		}
		for x := e.from[j]; x < end; x++ {
			dx := int64(x - e.vertex[j])
			d[x] = dx*dx + e.value[j]
		}
	}
}

// takeover returns the first pixel x at which the parabola of q > p is below or equal to that of p:
// (x-q)² + v <= (x-p)² + u.
func takeover(p int, u int64, q int, v int64) int {
	num := v + int64(q)*int64(q) - u - int64(p)*int64(p) // x >= num / (2(q-p))
	den := 2 * int64(q-p)
	x := num / den
	if num > 0 && num%den != 0 {
		x++
	}
	return int(max(x, 0))
}
