package boost

import "math"

// Gradients are summed as integers: exact in any order. A cell is the sum of some rows:
// one, two or four 64-bit words of two 32-bit fields each. The low field of word 0 is the
// weight, the fields after it are the gradients of the outputs:
//
//	word 0: weight, output 0    word 1: output 1, output 2    word 2: output 3, output 4 ...
//
// A word is low + high<<32 with both fields signed, so adding words adds both fields.
// Scales are powers of two, chosen per tree, so large that no sum can leave 32 bits.

// wordsFor returns the number of words of a cell of some outputs (at most maxFields).
func wordsFor(outputs int) int {
	switch {
	case outputs <= 1:
		return 1
	case outputs <= 3:
		return 2
	}
	return 4
}

// maxFields is the number of gradients in the largest cell.
const maxFields = 7

// fields splits a word.
func fields(word int64) (low, high int32) {
	low = int32(word)
	return low, int32((word - int64(low)) >> 32)
}

// scaleFor returns a power of two that takes numbers whose absolute values sum to total
// to integers whose absolute values sum to less than 2^31; n bounds the error of rounding.
func scaleFor(total float64, n int) float64 {
	if total <= 0 {
		return 1
	}
	_, exp := math.Frexp(total) // total < 2^exp
	scale := math.Ldexp(1, 30-exp)
	if float64(n) >= 1<<30 {
		panic("boost: more than 2^30 rows")
	}
	return scale
}

// roundEven rounds |v| < 2^51 to the nearest integer, halves to even: the sum with
// 1.5 * 2^52 has no bits left for a fraction.
func roundEven(v float64) int64 {
	const magic = 3 << 51
	return int64(math.Float64bits(v+magic)) - int64(math.Float64bits(magic))
}
