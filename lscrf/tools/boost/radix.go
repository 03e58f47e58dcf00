package boost

// sortFloats sorts v, which has no NaN, in three passes of eleven bits; spare has at least
// the length of v. -0 sorts as 0.
func sortFloats(v, spare []float32) {
	const digit, mask = 11, 1<<11 - 1
	spare = spare[:len(v)]
	var count [3][mask + 1]int32
	for _, x := range v {
		k := sortKey(x)
		count[0][k&mask]++
		count[1][k>>digit&mask]++
		count[2][k>>(2*digit)]++
	}
	from, to := v, spare
	for pass := range 3 {
		start := int32(0)
		for i, n := range count[pass] {
			count[pass][i] = start
			start += n
		}
		for _, x := range from {
			d := sortKey(x) >> (pass * digit) & mask
			to[count[pass][d]] = x
			count[pass][d]++
		}
		from, to = to, from
	}
	copy(v, from)
}

// sortKey maps numbers to integers of the same order.
func sortKey(v float32) uint32 { return uint32(ordered(v) + 1<<31) }
