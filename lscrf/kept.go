package lscrf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
)

// A Keeper keeps finished models, so that a table whose making was interrupted goes on with the
// first model that is missing. The key of a model is made of its images and settings: two trainings
// with one key give the same model. Both methods may be called from several goroutines.
type Keeper interface {
	// Load returns what was saved under a key, nil if there is nothing.
	Load(key string) []byte
	// Save keeps a model. A failure is for the Keeper to report: training goes on.
	Save(key string, model []byte)
}

// A keptModel is what a Keeper keeps of a Trained.
type keptModel struct {
	Model   []byte // the model file
	Seconds float64
	Choice  *Choice `json:",omitempty"`
}

// load returns the finished model of a key, nil if there is none that can be read.
func (t *Trainer) load(key string) *Trained {
	got, err := ReadCheckpoint(t.Kept.Load(key))
	if err != nil {
		return nil
	}
	got.Setup = t.About.Setup // which also knows where the arrays of a network are
	return got
}

// ReadCheckpoint returns the finished model of a file that a Keeper keeps.
func ReadCheckpoint(data []byte) (*Trained, error) {
	var k keptModel
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, err
	}
	m := new(Model)
	if err := m.UnmarshalBinary(k.Model); err != nil {
		return nil, err
	}
	return &Trained{Model: m, Seconds: k.Seconds, Choice: k.Choice}, nil
}

// save keeps a finished model under a key.
func (t *Trainer) save(key string, m *Trained) error {
	file, err := m.Model.MarshalBinary()
	if err != nil {
		return err
	}
	data, err := json.Marshal(keptModel{file, m.Seconds, m.Choice})
	if err == nil {
		t.Kept.Save(key, data)
	}
	return err
}

// keyOf returns the key of a training, 16 hexadecimal digits of a digest of the images' features,
// edges and labels, and of what m says is to be trained on them.
func keyOf(d *dataset, m *Model, seed uint64) (string, error) {
	h := sha256.New()
	write := func(v any) { _ = binary.Write(h, binary.LittleEndian, v) } // a hash takes everything
	settings, err := m.body()
	if err != nil {
		return "", err
	}
	write([]int64{int64(d.Dim), int64(len(d.Images)), int64(len(settings)), int64(seed)})
	write(settings)
	for i, image := range d.Images {
		group := d.groups.Of(d.ids[i])
		write([]int64{int64(len(group)), int64(len(image.X)), int64(len(image.Edges)), int64(len(image.Y))})
		write([]byte(group))
		write(image.X)
		for _, e := range image.Edges {
			write(e[:])
		}
		write(image.Y)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
