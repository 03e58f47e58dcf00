package boost

// histSizes are the numbers of cells of a histogram, with 32, 64, 128 or 255 borders: the
// machine code has them in its instructions.
var histSizes = []int{40, 72, 136, 256}

// histSize returns the smallest size for some bins.
func histSize(bins int) int {
	for _, n := range histSizes {
		if bins <= n {
			return n
		}
	}
	panic("boost: more than 256 bins")
}

// addLines adds cells to the histograms of one group of lanes: for every line i and lane j,
// cell i is added to the cell of bin lanes[lines[i]*stride+j] in the histogram of lane j,
// which starts at hist[j*bins*words].
func addLinesGo(hist []int64, bins, words int, lanes []uint8, stride int, lines []uint32, cells []int64) {
	if words == 1 {
		for i, l := range lines {
			line := lanes[int(l)*stride:][:laneGroup]
			c := cells[i]
			for j, b := range line {
				hist[j*bins+int(b)] += c
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

// accumulate turns a histogram into running sums over its bins.
func accumulate(hist []int64, words int) {
	for i := words; i < len(hist); i++ {
		hist[i] += hist[i-words]
	}
}

// subtract is a -= b.
func subtract(a, b []int64) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= b[i]
	}
}

// addScores adds one leaf's part of the score of every border b: with the running sums
// run, S = run[b] the rows that answer no and T = run[last] - S those that answer yes,
//
//	scores[b] += sum over outputs of S.gradient^2 / (S.weight + l2) + the same of T.
func addScores(scores []float64, run []int64, words int, l2 float64) {
	total := run[len(run)-words:]
	if words == 1 {
		t := total[0]
		for b := range scores {
			wn, gn := fields(run[b])
			wy, gy := fields(t - run[b])
			n, y := float64(gn), float64(gy)
			scores[b] += float64(n*n)/(float64(wn)+l2) + float64(y*y)/(float64(wy)+l2)
		}
		return
	}
	for b := range scores {
		cell := run[b*words:][:words]
		wn, gn := fields(cell[0])
		wy, gy := fields(total[0] - cell[0])
		n, y := float64(gn), float64(gy)
		no, yes := float64(n*n), float64(y*y)
		for w := 1; w < words; w++ {
			nl, nh := fields(cell[w])
			yl, yh := fields(total[w] - cell[w])
			no += square(nl) + square(nh)
			yes += square(yl) + square(yh)
		}
		scores[b] += no/(float64(wn)+l2) + yes/(float64(wy)+l2)
	}
}

// square is rounded before it is added: the conversion keeps compilers from fusing.
func square(v int32) float64 { return float64(float64(v) * float64(v)) }
