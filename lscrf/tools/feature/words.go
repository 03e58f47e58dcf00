package feature

import "math"

// block is the number of words that are compared at a time.
const block = 64

// A table holds words (the centers of a vocabulary) so that the nearest one to a vector is found
// fast: words in blocks of 64, in a block dimension by dimension.
type table struct {
	dim   int
	cells []float32 // cells[(b*dim+d)*block+j] is dimension d of word b*block+j
	bias  []float32 // -|word|^2/2; the largest x*word + bias is the nearest; -inf beyond the last word
}

// newTable takes n x dim words.
func newTable(words []float32, dim int) *table {
	n := len(words) / dim
	blocks := (n + block - 1) / block
	t := &table{dim: dim, cells: make([]float32, blocks*dim*block), bias: make([]float32, blocks*block)}
	for i := range t.bias {
		t.bias[i] = float32(math.Inf(-1))
	}
	for i := range n {
		b, j, word := i/block, i%block, words[i*dim:(i+1)*dim]
		for d, v := range word {
			t.cells[(b*dim+d)*block+j] = v
		}
		t.bias[i] = float32(-square(word) / 2)
	}
	return t
}

// nearest returns the word at the least distance to x, the first one in a tie, and x*word -
// |word|^2/2.
func (t *table) nearest(x []float32) (word int, score float32) {
	score = float32(math.Inf(-1))
	var scores [block]float32
	for b := 0; b < len(t.bias); b += block {
		copy(scores[:], t.bias[b:])
		scoreBlock(&scores, t.cells[b*t.dim:], x[:t.dim])
		for j, s := range scores {
			if s > score {
				word, score = b+j, s
			}
		}
	}
	return word, score
}

// scoreGeneric adds to scores[j] the products x[d]*table[d*block+j], in the order of d, each
// rounded to float32.
func scoreGeneric(scores *[block]float32, table, x []float32) {
	for d, v := range x {
		row := (*[block]float32)(table[d*block:])
		for j, w := range row {
			scores[j] += float32(v * w)
		}
	}
}
