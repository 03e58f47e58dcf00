package mrf

import "math"

// add adds b to a.
func add(a, b []int64) {
	b = b[:len(a)]
	for x := range a {
		a[x] += b[x]
	}
}

// send turns the message m that a node has from an edge into its message to the edge's
// other end, m[x] ← min_k (share[k] - m[k] + table[k][x]), less its least entry, which it
// returns.
func send(m, share, table []int64) int64 {
	L := len(m)
	if L == 8 {
		return send8((*[8]int64)(m), (*[8]int64)(share), (*[64]int64)(table))
	}
	var buf [MaxLabels]int64
	from := buf[:L]
	for k := range from {
		from[k] = share[k] - m[k]
	}
	for x, c := range table[:L] {
		m[x] = from[0] + c
	}
	for k := 1; k < L; k++ {
		f := from[k]
		row := table[k*L : k*L+L]
		row = row[:len(m)]
		for x := range m {
			m[x] = min(m[x], f+row[x])
		}
	}
	least := m[0]
	for _, v := range m {
		least = min(least, v)
	}
	for x := range m {
		m[x] -= least
	}
	return least
}

func send8(m, share *[8]int64, table *[64]int64) int64 {
	var from [8]int64
	for k := range from {
		from[k] = share[k] - m[k]
	}
	least := int64(math.MaxInt64)
	for x := range 8 {
		a := min(from[0]+table[x], from[1]+table[8+x])
		b := min(from[2]+table[16+x], from[3]+table[24+x])
		c := min(from[4]+table[32+x], from[5]+table[40+x])
		d := min(from[6]+table[48+x], from[7]+table[56+x])
		v := min(min(a, b), min(c, d))
		m[x] = v
		least = min(least, v)
	}
	for x := range m {
		m[x] -= least
	}
	return least
}
