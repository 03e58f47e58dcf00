package lscrf

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"hdseg/lscrf/tools/boost"
)

// Checkpoints keep what trainings of trees have reached, so that a run that was interrupted or killed loses little: the trees
// so far of the one at hand, and all of those that are done. A training has the part of the model that it is for ("features",
// "node", "edge", and the same after "choose-" where settings are chosen) and a key, eight hexadecimal digits of a digest of its
// data and options: two trainings of one key are the same.
type Checkpoints interface {
	Load(part, key string) []byte // nil if there is none
	// Save replaces what was saved under the part and key. A failure is for the implementation to report: training goes on.
	Save(part, key string, data []byte)
	// Due tells, after every tree, whether it is time to save.
	Due() bool
	// Damaged is told that what Load returned cannot be used, and why: the trees are trained again.
	Damaged(part, key string, why error)
}

// A Part is a part of a model whose training is reported: the Index-th from 1 of Of.
type Part struct {
	Name      string
	Index, Of int
}

// A fitting is what trainings of trees have in common.
type fitting struct {
	keep     Checkpoints                     // nil keeps none
	loss     func(name string, loss float64) // nil sees none
	prefix   string                          // of the names of parts
	workers  int
	progress func(done, total int)
	earlier  *time.Duration // sums up what earlier runs spent on the trees that checkpoints hold; unused without keep
}

// trees trains trees, from the checkpoint of the same training if there is one: the model is that of an undisturbed run.
// When ctx ends the trees so far are saved, and when they are done all are.
func (t *fitting) trees(ctx context.Context, part string, data boost.Data, o boost.Options) (*Forest, error) {
	k := t.open(part, func() string { return boost.Fingerprint(data, o) })
	if m := new(boost.Model); k.finished && k.usable(m.UnmarshalBinary(k.data)) {
		return &Forest{m}, nil
	}
	step := k.step(ctx)
	var m *boost.Model
	var rep boost.Report
	err := errNone
	if len(k.data) > 0 {
		m, rep, err = boost.Resume(data, o, k.data, t.workers, step)
	}
	if !k.usable(err) {
		m, rep, err = boost.Fit(data, o, t.workers, step)
	}
	switch {
	case err != nil:
		return nil, err
	case rep.Stopped:
		return nil, ctx.Err()
	}
	b, err := m.MarshalBinary()
	k.save(true, b)
	return &Forest{m}, err
}

// cross is trees for cross-fitted trees.
func (t *fitting) cross(ctx context.Context, data boost.Data, group []int, folds int, o boost.Options) (*boost.Cross, error) {
	k := t.open("features", func() string {
		print, _ := boost.CrossFingerprint(data, group, folds, o) // CrossFit says what is wrong with the folds
		return print
	})
	step := k.step(ctx)
	var c *boost.Cross
	err := errNone
	if len(k.data) > 0 {
		c, err = boost.ResumeCrossFit(data, group, folds, o, k.data, t.workers, step)
	}
	if !k.usable(err) {
		c, err = boost.CrossFit(data, group, folds, o, t.workers, step)
	}
	switch {
	case err != nil:
		return nil, err
	case c.Stopped:
		return nil, ctx.Err()
	}
	if !k.finished && k.keep != nil {
		k.save(true, c.Checkpoint())
	}
	return c, nil
}

// A keeping is the checkpoint of one training.
type keeping struct {
	*fitting
	name, key string // "" where none is kept
	print     string // sha256 of data and options
	started   time.Time
	checkpoint
}

// open returns the checkpoint of a training, empty if there is none.
func (t *fitting) open(part string, print func() string) *keeping {
	k := &keeping{fitting: t, name: t.prefix + part, started: time.Now()}
	if t.keep == nil {
		return k
	}
	k.print = print()
	k.key = fmt.Sprintf("%.4x", k.print)
	if b := t.keep.Load(k.name, k.key); b != nil {
		err := k.decode(b, k.print)
		if k.usable(err); err == nil {
			*t.earlier += k.spent
		}
	}
	return k
}

// errNone stands for a training that has no checkpoint.
var errNone = errors.New("no checkpoint")

// usable tells whether err is nil. Of a checkpoint that cannot be used nothing is left.
func (k *keeping) usable(err error) bool {
	if err == nil {
		return true
	}
	if err != errNone {
		k.keep.Damaged(k.name, k.key, err)
		if len(k.data) > 0 {
			*k.earlier -= k.spent
		}
	}
	k.checkpoint = checkpoint{}
	return false
}

// save saves trees.
func (k *keeping) save(finished bool, data []byte) {
	if k.keep == nil {
		return
	}
	c := checkpoint{finished, k.spent + time.Since(k.started), data}
	k.keep.Save(k.name, k.key, c.encode(k.print))
}

// step returns the progress function of a training, which saves when it is time to, and stops when ctx ends.
func (k *keeping) step(ctx context.Context) func(boost.Progress) bool {
	return func(p boost.Progress) bool {
		stop := ctx.Err() != nil
		if k.keep != nil && (k.keep.Due() || stop) {
			k.save(false, p.Checkpoint()) // before anything is printed: the terminal may be gone
		}
		if k.loss != nil {
			k.loss(k.name, p.Loss)
		}
		k.progress(p.Sequence*p.Trees+p.Tree, p.Sequences*p.Trees)
		return !stop
	}
}

// A checkpoint holds trees.
type checkpoint struct {
	finished bool
	spent    time.Duration // on the trees
	data     []byte        // a model or cross-fitting of boost's that is finished, or an unfinished one; empty for none
}

// checkpointMagic starts a checkpoint: then follow the sha256 of the rest, the fingerprint of data and options, finished
// (0, 1), spent (uint64, ns), and data.
const checkpointMagic = "hdlchk\x00\x01"

func (c checkpoint) encode(print string) []byte {
	rest := append([]byte(print), 0)
	if c.finished {
		rest[len(print)] = 1
	}
	rest = append(binary.LittleEndian.AppendUint64(rest, uint64(c.spent)), c.data...)
	sum := sha256.Sum256(rest)
	return append(append([]byte(checkpointMagic), sum[:]...), rest...)
}

func (c *checkpoint) decode(b []byte, print string) error {
	const head = len(checkpointMagic) + sha256.Size
	if len(b) < head || string(b[:len(checkpointMagic)]) != checkpointMagic {
		return errors.New("not a checkpoint of this version, or cut short")
	}
	sum, rest := b[len(checkpointMagic):head], b[head:]
	if got := sha256.Sum256(rest); string(got[:]) != string(sum) {
		return errors.New("cut short or edited")
	}
	if len(rest) < len(print)+9 || string(rest[:len(print)]) != print {
		return errors.New("of other data or options")
	}
	rest = rest[len(print):]
	c.finished, c.spent, c.data = rest[0] == 1, time.Duration(binary.LittleEndian.Uint64(rest[1:])), rest[9:]
	return nil
}
