package appearance

import (
	"encoding/json"
	"fmt"

	"hdseg/lscrf/tools/boost"
)

// Encode returns the model's two stages as bytes; equal models give equal bytes.
func (m *Model) Encode() []byte {
	var f [2][]byte
	for i, stage := range []*boost.Model{m.First, m.Second} {
		data, err := stage.MarshalBinary()
		if err != nil {
			panic("appearance: " + err.Error()) // it never fails
		}
		f[i] = data
	}
	data, err := json.Marshal(f)
	if err != nil {
		panic("appearance: " + err.Error())
	}
	return data
}

// Decode reads what Encode wrote of a model that was trained with options o.
func Decode(data []byte, o Options) (*Model, error) {
	var f [2][]byte
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("appearance: %w", err)
	}
	m := &Model{o: o, First: new(boost.Model), Second: new(boost.Model)}
	for i, stage := range []*boost.Model{m.First, m.Second} {
		if err := stage.UnmarshalBinary(f[i]); err != nil {
			return nil, fmt.Errorf("appearance: stage %d: %w", i+1, err)
		}
		if want := dims[0] + i*dims[1]; stage.Binning.Dim() != want || stage.Pairs || stage.Outputs != 1 {
			return nil, fmt.Errorf("appearance: stage %d: got %d features, want %d", i+1, stage.Binning.Dim(), want)
		}
	}
	return m, nil
}
