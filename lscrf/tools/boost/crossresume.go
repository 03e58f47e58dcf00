package boost

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// crossMagic starts a checkpoint of CrossFit: then follow the fingerprint of data, folds and options, the number of models that
// are done (uint32) and each with its length before it (uint32), and the checkpoint of the next one.
const crossMagic = "hdbcrs\x00\x01"

// A crossState is an unfinished CrossFit.
type crossState struct {
	done       []*Model // of the first folds, and then of all rows
	unfinished []byte   // checkpoint of the next; empty for none
}

// ResumeCrossFit continues CrossFit from a checkpoint of the same data and options to the same Cross. Trees in the
// checkpoint are not reported to progress again. A checkpoint of other data or options, or a damaged one, is an error.
func ResumeCrossFit(data Data, group []int, folds int, opt Options, from []byte, workers int, progress func(Progress) bool) (*Cross, error) {
	fold, err := dealFolds(group, folds, opt.Seed)
	if err != nil {
		return nil, err
	}
	var s crossState
	if err := s.decode(from, data, fold, opt); err != nil {
		return nil, fmt.Errorf("boost: checkpoint: %w", err)
	}
	if len(s.done) > folds+1 {
		return nil, fmt.Errorf("boost: checkpoint: got %d models, want at most %d", len(s.done), folds+1)
	}
	return crossFit(data, group, folds, opt, s, workers, progress)
}

func (s crossState) encode(data Data, fold []int, opt Options) []byte {
	b := append([]byte(crossMagic), crossFingerprint(data, fold, opt)...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s.done)))
	for _, m := range s.done {
		model, _ := m.MarshalBinary()
		b = binary.LittleEndian.AppendUint32(b, uint32(len(model)))
		b = append(b, model...)
	}
	return append(b, s.unfinished...)
}

func (s *crossState) decode(b []byte, data Data, fold []int, opt Options) error {
	head := len(crossMagic) + sha256.Size
	if len(b) < head+4 || string(b[:len(crossMagic)]) != crossMagic {
		return errors.New("not one of this version")
	}
	if string(b[len(crossMagic):head]) != crossFingerprint(data, fold, opt) {
		return errors.New("made from other data or options")
	}
	n := binary.LittleEndian.Uint32(b[head:])
	b = b[head+4:]
	for range n {
		if len(b) < 4 || uint64(len(b)-4) < uint64(binary.LittleEndian.Uint32(b)) {
			return errors.New("cut short")
		}
		end := 4 + int(binary.LittleEndian.Uint32(b))
		m := new(Model)
		if err := m.UnmarshalBinary(b[4:end]); err != nil {
			return err
		}
		s.done, b = append(s.done, m), b[end:]
	}
	s.unfinished = b
	return nil
}

// CrossFingerprint is Fingerprint for CrossFit, whose errors about folds it returns.
func CrossFingerprint(data Data, group []int, folds int, opt Options) (string, error) {
	fold, err := dealFolds(group, folds, opt.Seed)
	if err != nil {
		return "", err
	}
	return crossFingerprint(data, fold, opt), nil
}

// crossFingerprint is a sha256 of everything that decides the models.
func crossFingerprint(data Data, fold []int, opt Options) string {
	h := sha256.New()
	h.Write([]byte(Fingerprint(data, opt)))
	for _, f := range fold {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(f)))
	}
	return string(h.Sum(nil))
}
