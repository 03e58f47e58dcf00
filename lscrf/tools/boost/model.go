package boost

// A Model is one or several sequences of oblivious trees with the borders of their
// features. It is only read after training and may be used by several goroutines.
type Model struct {
	Binning   *Binning
	Pairs     bool // rows are pairs of nodes: features Dim..2*Dim-1 are those of the tail
	Loss      Loss
	Outputs   int
	Sequences []Sequence // they partition the outputs, in order
}

// A Sequence predicts Width outputs from First on: the sum of Base and one leaf of every
// tree, in this order, in float32.
type Sequence struct {
	First, Width int
	Base         []float32 // per output
	Trees        []Tree
}

// A Tree asks its questions of a row and takes the leaf whose bit l is set when question
// l was answered with yes.
type Tree struct {
	Questions []Question // 0..8
	Values    []float32  // value k of leaf i is Values[i*Width+k]; len = Width << len(Questions)
}

// A Question asks whether the bin of Feature is above Border, that is whether the value
// is above Binning.Borders[Feature%Dim][Border].
type Question struct {
	Feature int32
	Border  uint8
}

// trees returns the number of trees of all sequences.
func (m *Model) trees() int {
	n := 0
	for _, s := range m.Sequences {
		n += len(s.Trees)
	}
	return n
}

// used tells for each column whether any tree asks about it.
func (m *Model) used() []bool {
	used := make([]bool, m.Binning.Dim())
	for _, s := range m.Sequences {
		for _, t := range s.Trees {
			for _, q := range t.Questions {
				used[int(q.Feature)%len(used)] = true
			}
		}
	}
	return used
}

// Importance returns for every feature of a row the number of trees' questions about it.
func (m *Model) Importance() []int {
	dim := m.Binning.Dim()
	if m.Pairs {
		dim *= 2
	}
	count := make([]int, dim)
	for _, s := range m.Sequences {
		for _, t := range s.Trees {
			for _, q := range t.Questions {
				count[q.Feature]++
			}
		}
	}
	return count
}
