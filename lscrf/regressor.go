package lscrf

import (
	"encoding/base64"
	"fmt"
	"math"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/regress"
)

// A Regressor is what predicts one value per label of a node, or per label pair of an edge: a
// linear function or trees.
type Regressor struct {
	Linear *regress.Linear `json:",omitempty"`
	Trees  *Forest         `json:",omitempty"`

	// Outputs is the number of values per row. Trees of a single output predict the second of
	// two labels, and the first gets what is left to 1.
	Outputs int
	// Rare lists outputs that were seen too seldom to be learned; trees give them Constant.
	Rare     []int   `json:",omitempty"`
	Constant float64 `json:",omitempty"`
}

// A Forest is a boost.Model that JSON holds as its binary form.
type Forest struct{ *boost.Model }

// MarshalText and UnmarshalText are of encoding.TextMarshaler, over base64 of the model's bytes.
func (f *Forest) MarshalText() ([]byte, error) {
	b, err := f.Model.MarshalBinary()
	return base64.StdEncoding.AppendEncode(nil, b), err
}

// UnmarshalText reads what MarshalText wrote.
func (f *Forest) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	f.Model = new(boost.Model)
	return f.Model.UnmarshalBinary(b)
}

// linear wraps a linear function.
func linear(l *regress.Linear) *Regressor { return &Regressor{Linear: l, Outputs: l.Outputs} }

// nodes returns the values of n nodes, n x Outputs.
func (r *Regressor) nodes(x []float32, n int) []float32 {
	if r.Linear != nil {
		return r.Linear.PredictNodes(x)
	}
	return r.finish(r.Trees.PredictRows(x, n, 1))
}

// edges returns the values of edges between n nodes, len(edges) x Outputs.
func (r *Regressor) edges(x []float32, n int, edges [][2]int32) []float32 {
	if r.Linear != nil {
		return r.Linear.PredictEdges(x, edges)
	}
	return r.finish(r.Trees.PredictPairs(x, n, edges, 1))
}

func (r *Regressor) finish(f []float32) []float32 {
	if r.Trees.Outputs == 1 && r.Outputs == 2 {
		both := make([]float32, 2*len(f))
		for i, v := range f {
			both[2*i], both[2*i+1] = 1-v, v
		}
		f = both
	}
	for _, p := range r.Rare {
		for i := p; i < len(f); i += r.Outputs {
			f[i] = float32(r.Constant)
		}
	}
	return f
}

// largestWeight bounds the weights of linear functions, so that no sum of weighted features
// overflows.
const largestWeight = 1e18

// check returns an error unless the regressor is one of a kind of model and fits rows of dim
// features and a number of outputs.
func (r *Regressor) check(name, kind string, dim, outputs int) error {
	var gotDim, gotOutputs int
	switch {
	case r == nil || (r.Linear == nil) == (r.Trees == nil):
		return fmt.Errorf("%s: want one linear function or trees", name)
	case (r.Trees != nil) != (kind == Trees):
		return fmt.Errorf("%s: got trees: %v, in a %s model", name, r.Trees != nil, kind)
	case r.Linear != nil:
		l := r.Linear
		if len(l.W) != l.Dim*l.Outputs || len(l.B) != l.Outputs {
			return fmt.Errorf("%s: got %d weights and %d constants for %d x %d", name, len(l.W), len(l.B), l.Dim, l.Outputs)
		}
		for _, list := range [][]float64{l.W, l.B} {
			for _, v := range list {
				if !(math.Abs(v) <= largestWeight) {
					return fmt.Errorf("%s: got a weight of %g, want -%g to %g", name, v, largestWeight, largestWeight)
				}
			}
		}
		gotDim, gotOutputs = l.Dim, l.Outputs
	default:
		gotDim, gotOutputs = r.Trees.Binning.Dim(), r.Trees.Outputs
		if r.Trees.Pairs {
			gotDim *= 2
		}
		if gotOutputs == 1 && r.Outputs == 2 && !r.Trees.Pairs {
			gotOutputs = 2
		}
	}
	if gotDim != dim || gotOutputs != outputs || r.Outputs != outputs {
		return fmt.Errorf("%s: got %d features and %d outputs, want %d and %d", name, gotDim, gotOutputs, dim, outputs)
	}
	for _, p := range r.Rare {
		if p < 0 || p >= outputs {
			return fmt.Errorf("%s: rare output %d of %d", name, p, outputs)
		}
	}
	return nil
}
