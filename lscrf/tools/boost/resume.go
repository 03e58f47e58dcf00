package boost

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// checkpointMagic starts a checkpoint: the fingerprint of data and options and the model
// so far follow.
var checkpointMagic = []byte("hdbchk\x00\x01")

// checkpoint serializes an unfinished training.
func checkpoint(m *Model, print string) []byte {
	b, _ := m.MarshalBinary()
	return append(append(bytes.Clone(checkpointMagic), print...), b...)
}

// Resume continues Fit from a checkpoint of the same data and options to the same model
// and report. Trees in the checkpoint are not reported to progress again. A checkpoint of
// other data or options, or a damaged one, is an error.
func Resume(data Data, opt Options, from []byte, workers int, progress func(Progress) bool) (*Model, Report, error) {
	rest, ok := bytes.CutPrefix(from, checkpointMagic)
	if !ok || len(rest) < sha256.Size {
		return nil, Report{}, errors.New("boost: checkpoint: not a checkpoint of this version")
	}
	if string(rest[:sha256.Size]) != Fingerprint(data, opt) {
		return nil, Report{}, errors.New("boost: checkpoint: made from other data or options")
	}
	var m Model
	if err := m.UnmarshalBinary(rest[sha256.Size:]); err != nil {
		return nil, Report{}, fmt.Errorf("boost: checkpoint: %w", err)
	}
	if len(m.Sequences) != len(newModel(data, opt).Sequences) {
		return nil, Report{}, errors.New("boost: checkpoint: made from other data or options")
	}
	return fit(data, opt, &m, workers, progress)
}

// Fingerprint returns 32 bytes that tell trainings with Fit apart: a sha256 of everything that decides the model. It
// costs one pass over the data.
func Fingerprint(data Data, opt Options) string {
	h := sha256.New()
	w := bufio.NewWriterSize(h, 1<<16) // a hash does not fail
	fmt.Fprintf(w, "%+v %d %d %v %v %v\n", opt, data.Outputs, data.Design.Len(), data.Design.pairs, data.Weights != nil, data.HeldOut != nil)
	nodes := data.Design.nodes
	w.Write(nodes.bins)
	word := func(v uint32) { w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), v)) }
	floats := func(x []float32) {
		for _, v := range x {
			word(math.Float32bits(v))
		}
	}
	floats(data.Targets)
	floats(data.Weights)
	for _, held := range data.HeldOut {
		if held {
			w.WriteByte(1)
		} else {
			w.WriteByte(0)
		}
	}
	for _, e := range data.Design.edges {
		word(uint32(e[0]))
		word(uint32(e[1]))
	}
	for _, b := range nodes.Binning.Borders {
		word(uint32(len(b)))
		floats(b)
	}
	w.Flush()
	return string(h.Sum(nil))
}
