package boost

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// fast calls f for every kernel set but the generic one; a machine that has none says so.
func fast(t *testing.T, f func(t *testing.T, k kernelSet)) {
	t.Helper()
	sets := kernelSets()[1:]
	if len(sets) == 0 {
		t.Skip("this machine runs the generic kernels only")
	}
	for _, k := range sets {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

// One line in bin 2 of lane 0 and bin 1 of the others, twice, and one line with bin 0.
func TestAddLinesByHand(t *testing.T) {
	lanes := make([]uint8, 2*laneGroup)
	for j := range laneGroup {
		lanes[laneGroup+j] = 1
	}
	lanes[laneGroup] = 2
	for _, k := range kernelSets() {
		hist := make([]int64, laneGroup*40)
		k.addLines(hist, 40, 1, lanes, laneGroup, []uint32{1, 0, 1}, []int64{5, 7, 11})
		for j := range laneGroup {
			one := 1
			if j == 0 {
				one = 2
			}
			if hist[j*40] != 7 || hist[j*40+one] != 16 {
				t.Errorf("%s: lane %d: got %v in bins 0 and %d, want 7 and 16", k.name, j, []int64{hist[j*40], hist[j*40+one]}, one)
			}
		}
	}
}

// Two bins: (weight, gradient) = (1, 2) and (3, -4), L2 = 1. Border 0 scores
// 4/2 + 16/4 = 6; asking nothing scores (-2)^2/(4+1) = 0.8.
func TestAddScoresByHand(t *testing.T) {
	for _, k := range kernelSets() {
		hist := []int64{1 + 2<<32, 3 - 4<<32, 0, 0}
		settle(hist, nil, 1)
		scores := make([]float64, 4)
		k.addScores(scores, hist, hist[1:2], 1)
		if scores[0] != 6 || scores[1] != 0.8 {
			t.Errorf("%s: got %v, want 6 and 0.8", k.name, scores[:2])
		}
	}
}

func TestKernelsAgree(t *testing.T) {
	const n, stride = 300, 48
	r := rand.New(rand.NewPCG(1, 2))
	cell := func() int64 { return int64(int32(r.Uint32())>>12) + int64(int32(r.Uint32())>>12)<<32 }
	fast(t, func(t *testing.T, k kernelSet) {
		for _, bins := range histSizes {
			for _, words := range []int{1, 4} {
				lanes := make([]uint8, n*stride)
				for i := range lanes {
					lanes[i] = uint8(r.IntN(bins))
				}
				for _, m := range []int{0, 1, 12, 13, 200} {
					var hist [2][]int64
					lines, cells := make([]uint32, m), make([]int64, m*words)
					for i := range lines {
						lines[i] = uint32(r.IntN(n))
					}
					for i := range cells {
						cells[i] = cell()
						if i%words == 0 {
							cells[i] = int64(r.IntN(1000)) + int64(r.IntN(2001)-1000)<<32
						}
					}
					for i, set := range []kernelSet{genericKernels, k} {
						hist[i] = make([]int64, laneGroup*bins*words)
						set.addLines(hist[i], bins, words, lanes[16:], stride, lines, cells)
					}
					if !slices.Equal(hist[0], hist[1]) {
						t.Fatalf("addLines: bins %d, words %d, %d lines: differ", bins, words, m)
					}
					sameScores(t, k, hist[0][:bins*words], bins, words)
				}
			}
		}
	})
}

// sameScores compares addScores on a histogram.
func sameScores(t *testing.T, k kernelSet, hist []int64, bins, words int) {
	t.Helper()
	var small, large [2][]int64
	var scores [2][]float64
	for i, set := range []kernelSet{genericKernels, k} {
		small[i], large[i] = slices.Clone(hist), make([]int64, len(hist))
		for j := range large[i] {
			large[i][j] = int64(j) * 1_000_003
		}
		settle(small[i], large[i], words)
		scores[i] = make([]float64, bins)
		for j := range scores[i] {
			scores[i][j] = float64(j)
		}
		set.addScores(scores[i], small[i], small[i][(bins-1)*words:], 2.5)
	}
	if !slices.Equal(scores[0], scores[1]) {
		t.Fatalf("addScores: bins %d, words %d: differ", bins, words)
	}
}

func TestByteKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fast(t, func(t *testing.T, k kernelSet) {
		for _, n := range []int{0, 1, 31, 32, 100, 256} {
			col, a, b := make([]uint8, n), make([]uint8, n), make([]uint8, n)
			for i := range col {
				col[i], a[i] = uint8(r.Uint32()), uint8(r.Uint32()&3)
			}
			copy(b, a)
			border := uint8(r.Uint32())
			orAboveGo(a, col, border, 4)
			k.orAbove(b, col, border, 4)
			if !slices.Equal(a, b) {
				t.Errorf("orAbove: n %d, border %d: differ", n, border)
			}
		}
	})
}

func BenchmarkAddLines(b *testing.B) {
	const n, stride = 200_000, 272
	r := rand.New(rand.NewPCG(1, 1))
	lanes := make([]uint8, n*stride)
	lines := make([]uint32, n)
	for i := range lines {
		lines[i] = uint32(i)
	}
	for _, bins := range histSizes {
		for i := range lanes {
			lanes[i] = uint8(r.IntN(min(bins, 129)))
		}
		for _, words := range []int{1, 4} {
			hist, cells := make([]int64, stride*bins*words), make([]int64, n*words)
			for _, k := range kernelSets() {
				b.Run(fmt.Sprintf("bins=%d/words=%d/%s", bins, words, k.name), func(b *testing.B) {
					s := peer.CPU()
					for b.Loop() {
						for at := 0; at+segmentRows <= n; at += segmentRows {
							for group := range stride / laneGroup {
								k.addLines(hist[group*laneGroup*bins*words:], bins, words, lanes[group*laneGroup:], stride, lines[at:at+segmentRows], cells[at*words:])
							}
						}
					}
					b.ReportMetric(float64((peer.CPU()-s).Nanoseconds())/float64(b.N)/float64(n*stride), "cpu-ns/add")
				})
			}
		}
	}
}
