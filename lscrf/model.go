package lscrf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Model turns a Graph into an energy. It carries everything that it needs to be applied to a
// new picture, and what it was made from.
type Model struct {
	Kind     string           // one of Kinds
	Terms    string           // Unary or Pairwise
	Class    string           // name of the figure's class; "" for more than two labels
	Labels   []string         // names of the labels; two: ground and figure
	Setup    Setup            // superpixels and features it was trained on
	Options  TrainOptions     // how it was trained
	Tiers    Mix              // on which tiers
	Images   int              // on how many images
	Manifest manifests.Digest // index of the manifest it was trained on
	Version  string           // of hdseg

	// Dim is the number of features per superpixel that Setup gives; TreeFeatures add to them.
	Dim int
	// TreeFeatures are the classifiers whose outputs are features of every superpixel; nil for
	// none.
	TreeFeatures *Forest `json:",omitempty"`
	// Node predicts each label from a node's features, Edge each ordered label pair from the
	// features of an edge's two ends: probabilities for Linear and Trees, scores for
	// the others. Edge is nil for Unary.
	Node *Regressor
	Edge *Regressor `json:",omitempty"`
	// Cells predicts ground, figure and person from a cell of a network's array alone, see CellOdds;
	// nil without arrays and for more than two labels.
	Cells *regress.Linear `json:",omitempty"`
	// Pairs are the frequencies of the ordered label pairs in training, towards which
	// Options.EdgeShrink draws the probabilities of Edge; none where that is 0.
	Pairs []float64 `json:",omitempty"`
}

// FigureGround returns the labels of figure-ground segmentation.
func FigureGround() []string { return []string{"ground", "figure"} }

// modelMagic starts a model file; the digit is the version of its layout.
const modelMagic = "hdseg model 2\n"

// ErrModel is wrapped by the errors of UnmarshalBinary.
var ErrModel = errors.New("not a model of this version, or damaged")

// fileModel is a Model as JSON holds it: the vocabulary beside it, in its own binary form.
type fileModel struct {
	Model
	Vocabulary []byte `json:",omitempty"`
}

// body returns the model as JSON.
func (m *Model) body() ([]byte, error) {
	f := fileModel{Model: *m}
	if v := m.Setup.Feature.Vocabulary; v != nil { // which JSON leaves out
		var err error
		if f.Vocabulary, err = v.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(f)
}

// fromBody reads what body wrote.
func (m *Model) fromBody(body []byte) error {
	var f fileModel
	if err := json.Unmarshal(body, &f); err != nil {
		return err
	}
	if err := removedOptions(body); err != nil {
		return err
	}
	if f.Options.Solver == "" { // of version 0.2.0
		f.Options.Solver = regress.ClosedForm
	}
	*m = f.Model
	if f.Vocabulary == nil {
		return nil
	}
	m.Setup.Feature.Vocabulary = new(feature.Vocabulary)
	return m.Setup.Feature.Vocabulary.UnmarshalBinary(f.Vocabulary)
}

// removedOptions returns an error for a model of version 0.2.0 that predicts with a setting that is
// no more. Other settings that are no more served training alone.
func removedOptions(body []byte) error {
	var old struct {
		Options struct {
			Potentials   string
			Context      int
			TreeFeatures struct{ Keep int }
		}
	}
	if err := json.Unmarshal(body, &old); err != nil {
		return err
	}
	switch o := old.Options; {
	case o.Potentials == "reweighted":
		return errors.New("potentials: reweighted potentials are removed: train the model again, or use version 0.2.0")
	case o.Context > 0:
		return errors.New("context: features of rings of neighbors are removed: train the model again, or use version 0.2.0")
	case o.TreeFeatures.Keep > 0:
		return errors.New("treeFeatures.keep: tree features stand beside all others now: train the model again, or use version 0.2.0")
	}
	return nil
}

// MarshalBinary returns the model file: a line of magic, the body as JSON as a block, and the
// sha256 of everything before it.
func (m *Model) MarshalBinary() ([]byte, error) {
	body, err := m.body()
	if err != nil {
		return nil, err
	}
	return seal(block([]byte(modelMagic), body)), nil
}

// UnmarshalBinary reads a model file and refuses one that was cut short or edited, or whose parts
// do not fit each other.
func (m *Model) UnmarshalBinary(data []byte) error {
	rest, err := unseal(modelMagic, data)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrModel, err)
	}
	body, rest := next(rest)
	if len(rest) > 0 {
		return fmt.Errorf("%w: got %d bytes after the body", ErrModel, len(rest))
	}
	var got Model
	if err = got.fromBody(body); err == nil {
		err = got.check()
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrModel, err)
	}
	*m = got
	return nil
}

// block appends a block: its length as 8 bytes little endian, and its bytes.
func block(to, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(to, uint64(len(b))), b...)
}

// next takes the first block off; nil if it is not whole.
func next(data []byte) (b, rest []byte) {
	if len(data) < 8 {
		return nil, nil
	}
	n := binary.LittleEndian.Uint64(data)
	if n > uint64(len(data)-8) {
		return nil, nil
	}
	return data[8 : 8+n], data[8+n:]
}

// seal appends the sha256 of a file.
func seal(data []byte) []byte {
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// unseal returns what stands between the magic and the checksum of a file.
func unseal(magic string, data []byte) ([]byte, error) {
	end := len(data) - sha256.Size
	switch {
	case end < len(magic) || !bytes.HasPrefix(data, []byte(magic)):
		return nil, fmt.Errorf("got %d bytes without its header", len(data))
	case sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]):
		return nil, errors.New("cut short or edited: the checksum does not match")
	}
	return data[len(magic):end], nil
}

// check returns an error unless the model can be applied.
func (m *Model) check() error {
	k := len(m.Labels)
	if !(Spec{Model: m.Kind, Terms: m.Terms}).Exists() || k < 2 || k > MaxLabels || m.Dim < 1 {
		return fmt.Errorf("got a %s %s model of %d labels and %d features", m.Kind, m.Terms, k, m.Dim)
	}
	seen := map[string]bool{}
	for i, l := range m.Labels {
		if l == "" || seen[l] {
			return fmt.Errorf("label %d: got the name %q, want one of its own for every label", i, l)
		}
		seen[l] = true
	}
	if m.Images < 0 {
		return fmt.Errorf("got %d training images, want 0 or more", m.Images)
	}
	if err := m.settings(); err != nil {
		return err
	}
	if m.Setup.Feature.NeedsVocabulary() && m.Setup.Feature.Vocabulary == nil {
		return errors.New("the vocabulary of the features is missing")
	}
	dim := m.Dim
	if m.Options.TreeFeatures.On() != (m.TreeFeatures != nil) {
		return fmt.Errorf("tree features: got %d folds and classifiers: %v, want both or neither", m.Options.TreeFeatures.Folds,
			m.TreeFeatures != nil)
	}
	if t := m.TreeFeatures; t != nil {
		if m.Options.TreeFeatures.AutoContext && (m.Dim < feature.PlaceDim || !m.Setup.Feature.HasPlaces()) {
			return fmt.Errorf("auto-context: %d features of the set %s do not tell where superpixels are", m.Dim, m.Setup.Feature.Set)
		}
		if t.Pairs || t.Binning.Dim() != dim || t.Outputs != treeOutputs(k) {
			return fmt.Errorf("tree features: got %d features and %d outputs, want %d and %d", t.Binning.Dim(), t.Outputs, dim,
				treeOutputs(k))
		}
		dim = m.Options.TreeFeatures.width(dim, t.Outputs)
	}
	if err := m.Node.check("node", m.Kind, dim, k); err != nil {
		return err
	}
	if m.seesCells() {
		cells := &Regressor{Linear: m.Cells, Outputs: person + 1}
		if err := cells.check("cells", Linear, m.Setup.Feature.Dense.Channels, person+1); err != nil {
			return err
		}
	} else if m.Cells != nil {
		return errors.New("got weights of the cells of arrays, and no arrays")
	}
	if m.Terms == Unary {
		if m.Edge != nil {
			return errors.New("a unary model has no edges")
		}
		return nil
	}
	if m.Options.EdgeShrink > 0 && len(m.Pairs) != k*k {
		return fmt.Errorf("got frequencies of %d label pairs, want %d", len(m.Pairs), k*k)
	}
	for i, f := range m.Pairs {
		if f < 0 {
			return fmt.Errorf("frequency of label pair %d: got %v, want 0 or more", i, f)
		}
	}
	return m.Edge.check("edge", m.Kind, 2*dim, k*k)
}

// settings returns the faults of the settings that a model carries.
func (m *Model) settings() error {
	o := m.Options
	o.Iterative.Workers = 1 // which no file carries
	var errs []error
	for _, of := range []struct {
		name string
		err  error
	}{{"setup", m.Setup.Validate()}, {"options", o.Validate()}, {"mix", m.validTiers()}} {
		if of.err != nil {
			errs = append(errs, fmt.Errorf("%s: %s", of.name, strings.ReplaceAll(of.err.Error(), "\n", "; ")))
		}
	}
	return errors.Join(errs...)
}

// validTiers returns an error unless the model was trained on tiers. Version 0.2.0 could give them
// weights, as in "bbox@0.25".
func (m *Model) validTiers() error {
	for _, t := range m.Tiers {
		name, _, _ := strings.Cut(string(t), "@")
		if _, err := manifests.ParseTier(name); err != nil {
			return err
		}
	}
	return nil
}
