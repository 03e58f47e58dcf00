package boost

import "math"

// Gradients are summed as integers: exact in any order. A cell is the sum of some rows: one
// 64-bit word for one output, four for several, of two 32-bit fields each. The low field of
// word 0 is the weight, the fields after it are the gradients of the outputs:
//
//	word 0: weight, output 0    word 1: output 1, output 2    word 2: output 3, output 4 ...
//
// A word is low + high<<32 with both fields signed, so adding words adds both fields.
// Scales are powers of two, chosen per tree, so large that no sum can leave 32 bits.

// wordsFor returns the number of words of a cell of some outputs.
func wordsFor(outputs int) int {
	if outputs <= 1 {
		return 1
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

// A kernelSet holds the inner loops. Those in machine code give the same results bit for bit.
type kernelSet struct {
	name string
	// addLines adds cells to the histograms of one group of lanes: for every line i and lane
	// j, cell i is added to the cell of bin lanes[lines[i]*stride+j] in the histogram of lane
	// j, which starts at hist[j*bins*words].
	addLines func(hist []int64, bins, words int, lanes []uint8, stride int, lines []uint32, cells []int64)
	// addScores adds one leaf's part of the score of every border b: with the running sums
	// run, N = run[b] for the rows that answer no and Y = total - N for those that answer yes,
	//
	//	scores[b] += sum over outputs of N.gradient^2 / (N.weight + l2) + the same of Y,
	//
	// over one denominator. len(scores) is a multiple of 4, the histogram at least as long.
	addScores func(scores []float64, run, total []int64, l2 float64)
	// orAbove sets bit in bits[i] where col[i] > border.
	orAbove func(bits, col []uint8, border, bit uint8)
}

var genericKernels = kernelSet{"generic", addLinesGo, addScoresGo, orAboveGo}

// kernels is the fastest set that this machine runs.
var kernels = func() kernelSet {
	all := kernelSets()
	return all[len(all)-1]
}()

// histSizes are the numbers of cells of a histogram, with up to 32, 128 or 255 borders: the
// machine code has them in its instructions.
var histSizes = []int{40, 136, 256}

// histSize returns the smallest size for some bins.
func histSize(bins int) int {
	for _, n := range histSizes {
		if bins <= n {
			return n
		}
	}
	panic("boost: more than 256 bins")
}

func addLinesGo(hist []int64, bins, words int, lanes []uint8, stride int, lines []uint32, cells []int64) {
	if words == 1 {
		for i, l := range lines {
			line := lanes[int(l)*stride:][:laneGroup]
			c := cells[i]
			at := hist
			for _, b := range line {
				at[b] += c
				at = at[min(bins, len(at)):]
			}
		}
		return
	}
	for i, l := range lines {
		line := lanes[int(l)*stride:][:laneGroup]
		cell := cells[i*words:][:words]
		for j, b := range line {
			h := hist[(j*bins+int(b))*words:][:words]
			for w, c := range cell {
				h[w] += c
			}
		}
	}
}

// settle turns a histogram into running sums over its bins and subtracts those from the
// histogram of the parent, which so becomes that of the sibling; large may be nil.
func settle(small, large []int64, words int) {
	if words == 1 {
		sum := int64(0)
		for i, v := range small {
			sum += v
			small[i] = sum
		}
	}
	for i := words; i < len(small) && words > 1; i++ {
		small[i] += small[i-words]
	}
	for i := range large {
		large[i] -= small[i]
	}
}

func addScoresGo(scores []float64, run, total []int64, l2 float64) {
	words := len(total)
	for b := range scores {
		no, nw := squares(run[b*words:][:words], nil)
		yes, yw := squares(total, run[b*words:][:words])
		nw, yw = nw+l2, yw+l2
		scores[b] += (float64(no*yw) + float64(yes*nw)) / float64(nw*yw)
	}
}

// squares returns the sum of squared gradients and the weight of a cell, minus another.
// The order of the sum is that of four-lane vectors: lane by lane, then in pairs.
func squares(cell, minus []int64) (sum, weight float64) {
	var lane [4]float64
	for w, c := range cell {
		if minus != nil {
			c -= minus[w]
		}
		low, high := fields(c)
		if w == 0 {
			weight = float64(low)
		} else {
			lane[2*w%4] += square(low)
		}
		lane[(2*w+1)%4] += square(high)
	}
	return (lane[0] + lane[1]) + (lane[2] + lane[3]), weight
}

// square is rounded before it is added: the conversion keeps compilers from fusing.
func square(v int32) float64 { return float64(float64(v) * float64(v)) }

func orAboveGo(bits, col []uint8, border, bit uint8) {
	col = col[:len(bits)]
	for i, v := range col {
		bits[i] |= bit & uint8((int(border)-int(v))>>63)
	}
}
