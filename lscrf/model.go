package lscrf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"hdseg/lscrf/regress"
	"hdseg/manifests"
)

// The terms of a model's energy.
const (
	Unary    = "unary"    // every superpixel for itself
	Pairwise = "pairwise" // LS-CRF: a table of potentials on every edge
)

// Linear is the kind of model whose potentials are linear least squares.
const Linear = "linear"

// A Model turns a Graph into an energy. It carries everything that it needs to be applied to a
// new picture, and what it was made from.
type Model struct {
	Kind     string           // Linear
	Terms    string           // Unary or Pairwise
	Class    string           // name of the figure's class
	Setup    Setup            // superpixels and features it was trained on
	Options  TrainOptions     // how it was trained
	Tiers    Mix              // on which tiers
	Images   int              // on how many images
	Manifest manifests.Digest // index of the manifest it was trained on
	Version  string           // of hdseg

	// Node predicts the probability of each label from a node's features; Pairwise models use it
	// for isolated nodes.
	Node *regress.Linear
	// Edge predicts the probability of each ordered label pair from an edge's features; nil for Unary.
	Edge *regress.Linear `json:",omitempty"`
}

// modelMagic starts a model file; the digit is the version of its layout.
const modelMagic = "hdseg model 1\n"

// ErrModel is wrapped by the errors of UnmarshalBinary.
var ErrModel = errors.New("not a model of this version, or damaged")

// MarshalBinary returns the model file: a line of magic, the length of the body as 8 bytes little
// endian, the body as JSON, and the sha256 of everything before it.
func (m *Model) MarshalBinary() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint64([]byte(modelMagic), uint64(len(body)))
	out = append(out, body...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// UnmarshalBinary reads a model file and refuses one that was cut short or edited.
func (m *Model) UnmarshalBinary(data []byte) error {
	head := len(modelMagic) + 8
	if len(data) < head+sha256.Size || !bytes.HasPrefix(data, []byte(modelMagic)) {
		return fmt.Errorf("%w: got %d bytes without the header of a model", ErrModel, len(data))
	}
	if n := binary.LittleEndian.Uint64(data[len(modelMagic):]); n != uint64(len(data)-head-sha256.Size) {
		return fmt.Errorf("%w: got %d bytes, want %d", ErrModel, len(data), n+uint64(head+sha256.Size))
	}
	end := len(data) - sha256.Size
	if sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return fmt.Errorf("%w: the checksum does not match", ErrModel)
	}
	d := json.NewDecoder(bytes.NewReader(data[head:end]))
	d.DisallowUnknownFields()
	*m = Model{}
	if err := d.Decode(m); err != nil {
		return fmt.Errorf("%w: %v", ErrModel, err)
	}
	return nil
}
