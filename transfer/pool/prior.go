package pool

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Prior is a soft mask in the frame of a window and who made it.
type Prior struct {
	Size   int       // MaskSize
	Soft   []float32 // [y*Size+x], weighted share of voters whose figure covers the cell, 0..1
	Voters []Voter   // records by falling weight, then by id
}

// A Voter is a record with the sum of the weights of its voting windows; all voters' weights sum to 1.
type Voter struct {
	ID     string
	Weight float64
}

// Vote makes a soft mask of neighbours. Without neighbours it is 0.5 everywhere and has no voters.
func (p *Pool) Vote(near []Neighbor) Prior {
	size := p.o.MaskSize * p.o.MaskSize
	out := Prior{Size: p.o.MaskSize, Soft: make([]float32, size)}
	if len(near) == 0 {
		for i := range out.Soft {
			out.Soft[i] = 0.5
		}
		return out
	}
	var mean float64 // squared distance
	for _, n := range near {
		mean += float64(n.Distance)
	}
	mean /= float64(len(near))
	weights := make([]float64, len(near))
	var total float64
	for i, n := range near {
		weights[i] = 1
		if mean > 0 {
			weights[i] = math.Exp(-p.o.Sharpness * float64(n.Distance) / mean)
		}
		total += weights[i]
	}
	voters := map[string]float64{}
	for i, n := range near {
		w := weights[i] / total
		voters[p.windows[n.Window].ID] += w
		f := float32(w / 255)
		for j, v := range p.masks[n.Window*size:][:size] {
			out.Soft[j] += f * float32(v)
		}
	}
	for i, v := range out.Soft {
		out.Soft[i] = min(v, 1)
	}
	for id, w := range voters {
		out.Voters = append(out.Voters, Voter{id, w})
	}
	SortVoters(out.Voters)
	return out
}

// SortVoters sorts by falling weight, then by id.
func SortVoters(v []Voter) {
	slices.SortFunc(v, func(a, b Voter) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.ID, b.ID))
	})
}
