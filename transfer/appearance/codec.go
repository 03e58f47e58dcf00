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
		want, more := o.dims()
		if want += i * more; stage.Binning.Dim() != want || stage.Pairs || stage.Outputs != 1 {
			return nil, fmt.Errorf("appearance: stage %d: got %d features, want %d", i+1, stage.Binning.Dim(), want)
		}
	}
	return m, nil
}

// A heldFile is a Trained as bytes: the model, then those without a fold.
type heldFile struct {
	Models [][]byte
	Fold   map[int]int // of the groups
}

// EncodeHeld returns a model and those that stand in for it as bytes.
func EncodeHeld(t *Trained) []byte {
	f := heldFile{Fold: t.Fold}
	for _, m := range append([]*Model{t.Model}, t.Folds...) {
		f.Models = append(f.Models, m.Encode())
	}
	data, err := json.Marshal(f)
	if err != nil {
		panic("appearance: " + err.Error())
	}
	return data
}

// DecodeHeld reads what EncodeHeld wrote of models that were trained with options o.
func DecodeHeld(data []byte, o Options) (*Trained, error) {
	var f heldFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("appearance: %w", err)
	}
	if len(f.Models) != 1+o.Folds {
		return nil, fmt.Errorf("appearance: got %d models, want 1 and %d without a fold", len(f.Models), o.Folds)
	}
	models := make([]*Model, len(f.Models))
	for i := range models {
		var err error
		if models[i], err = Decode(f.Models[i], o); err != nil {
			return nil, err
		}
	}
	for g, fold := range f.Fold {
		if fold < 0 || fold >= o.Folds {
			return nil, fmt.Errorf("appearance: group %d: got fold %d, want 0..%d", g, fold, o.Folds-1)
		}
	}
	return &Trained{Model: models[0], Folds: models[1:], Fold: f.Fold}, nil
}
