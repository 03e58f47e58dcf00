package lscrf

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"time"

	"hdseg/lscrf/tools/regress"
)

// A fitted is what an iterative fit gives, as a checkpoint keeps it when the fit is done: log-linear models have two functions.
type fitted struct {
	Fits   []*regress.Linear
	Report regress.Iterations
}

// once returns a fit of an iterative kind and what it took: a finished one from the checkpoint of the same data and settings if there
// is one, or a new one, which is kept. A fit that is interrupted starts again.
func (t *Trainer) once(ctx context.Context, part string, m *Trained, d *dataset, fit func() fitted) (fitted, time.Duration) {
	earlier := time.Duration(0) // the caller's to count
	f := t.fitting(func(int, int) {})
	f.earlier = &earlier
	k := f.open(part, func() string { return fingerprint(&d.Data, m.Kind == Pseudolikelihood, m.Options) })
	var got fitted
	if k.finished && k.usable(json.Unmarshal(k.data, &got)) && len(got.Fits) > 0 {
		return got, k.spent
	}
	start := time.Now()
	got = fit()
	spent := time.Since(start)
	if data, err := json.Marshal(got); err == nil && ctx.Err() == nil {
		k.save(true, data)
	}
	return got, spent
}

// fingerprint is the sha256 of all that a fit depends on.
func fingerprint(d *regress.Data, together bool, o TrainOptions) string {
	h := sha256.New()
	write := func(v any) { _ = binary.Write(h, binary.LittleEndian, v) } // a hash takes everything
	settings, err := json.Marshal(o)
	if err != nil {
		panic("lscrf: options that JSON cannot hold: " + err.Error())
	}
	write([]int64{int64(d.Dim), int64(d.Labels), int64(len(d.Images)), int64(len(settings))})
	write(together)
	write(settings)
	for _, m := range d.Images {
		write([]int64{int64(len(m.X)), int64(len(m.Edges)), int64(len(m.Y)), int64(len(m.NodeWeight)), int64(len(m.EdgeWeight))})
		write(m.X)
		for _, e := range m.Edges {
			write(e[:])
		}
		write(m.Y)
		write(m.NodeWeight)
		write(m.EdgeWeight)
	}
	return string(h.Sum(nil))
}
