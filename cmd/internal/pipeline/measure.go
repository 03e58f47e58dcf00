package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/cache"
	"hdseg/lscrf/report"
	"hdseg/manifests"
)

// Where the measuring half of a build keeps what it makes.
const (
	featureDir = "features"
	modelDir   = "models"
	evaluation = "report/evaluation.json"
	benchJSON  = "report/bench.json"
	benchCSV   = "report/bench.csv"
	benchText  = "report/bench.txt"
)

func modelPath(s lscrf.Spec) string { return path.Join(modelDir, s.Name()+".model") }

func (b *build) runFeatures(ctx context.Context, progress func(done, total int)) (made, error) {
	m, digest, err := manifests.Read(b.store, b.final())
	if err != nil {
		return made{}, err
	}
	key := configs.Digest(digest, b.e.Setup())
	n, skips, err := lscrf.Extract(ctx, m, b.store, b.e.Setup(), featureDir, key, b.Workers, progress)
	return made{Read: n + len(skips), Done: n, Skips: skips, Outputs: []string{cache.IndexPath(featureDir)}}, err
}

// runTrain fits every model of the table from one pass over the features.
func (b *build) runTrain(ctx context.Context, progress func(done, total int)) (made, error) {
	c, err := cache.Open(b.store, featureDir)
	if err != nil {
		return made{}, err
	}
	defer c.Close()
	src := lscrf.FromCache(c, manifests.Train)
	stats, err := lscrf.Collect(ctx, src, b.e.Train.Orientation, b.Workers, progress)
	if err != nil {
		return made{}, err
	}
	about, err := b.about()
	if err != nil {
		return made{}, err
	}
	// A model of earlier settings must not be measured as one of these.
	if err := os.RemoveAll(filepath.Join(b.store.Dir(), modelDir)); err != nil {
		return made{}, err
	}
	got := made{Read: src.Len()}
	b.times.Train = map[string]float64{}
	for _, spec := range b.e.Bench.Specs() {
		if !stats.Has(spec.Tiers) {
			continue
		}
		t, err := stats.TrainSpec(spec, b.e.Train, about)
		if err != nil {
			return made{}, err
		}
		data, err := t.Model.MarshalBinary()
		if err != nil {
			return made{}, err
		}
		if err := b.store.Replace(modelPath(spec), data); err != nil {
			return made{}, err
		}
		b.times.Train[spec.Name()] = t.Seconds
		got.Done++
		got.Outputs = append(got.Outputs, modelPath(spec))
	}
	return got, nil
}

// about is what all models of the build have in common.
func (b *build) about() (lscrf.Model, error) {
	index, err := b.store.Read(b.final()+".yaml", "")
	return lscrf.Model{Class: b.e.Class.Name, Setup: b.e.Setup(), Manifest: manifests.Sum(index)}, err
}

// evaluated is report/evaluation.json: the counts from which every score of the table follows.
type evaluated struct {
	Test   []string         `json:"test"` // ids, in the order of all scores
	Oracle *lscrf.Score     `json:"oracle"`
	Models []lscrf.Measured `json:"models"`
}

// runEvaluate measures every model on the test split.
func (b *build) runEvaluate(ctx context.Context, progress func(done, total int)) (made, error) {
	m, _, err := manifests.Read(b.store, b.final())
	if err != nil {
		return made{}, err
	}
	test, skips, err := lscrf.LoadTest(ctx, m, b.store, b.e.Setup(), b.Workers, progress)
	if err != nil {
		return made{}, err
	}
	if len(test) == 0 {
		b.warnings = append(b.warnings, "no test record: the table has no scores; give --test a folder with images/ and masks/")
	}
	ev := evaluated{Test: []string{}, Oracle: lscrf.Oracle(test), Models: []lscrf.Measured{}}
	for _, t := range test {
		ev.Test = append(ev.Test, t.ID)
	}
	b.times.Predict = map[string]float64{}
	for _, spec := range b.e.Bench.Specs() {
		data, err := b.store.Read(modelPath(spec), "")
		if errors.Is(err, fs.ErrNotExist) {
			continue // runTrain had no image for it; the table lists it as missing
		}
		if err != nil {
			return made{}, err
		}
		var model lscrf.Model
		if err := model.UnmarshalBinary(data); err != nil {
			return made{}, fmt.Errorf("%s: %w", modelPath(spec), err)
		}
		score, err := lscrf.Evaluate(ctx, &model, test, b.Workers)
		if err != nil {
			return made{}, err
		}
		b.times.Predict[spec.Name()] = score.PredictMS
		ev.Models = append(ev.Models, lscrf.Measured{Spec: spec, Images: model.Images, Score: score})
	}
	return made{Read: len(test) + len(skips), Done: len(test), Skips: skips, Outputs: []string{evaluation}}, b.writeJSON(evaluation, ev)
}

// runBench makes the table. Its files hold no times, so that equal builds give equal bytes: those are in the run record.
func (b *build) runBench(context.Context, func(done, total int)) (made, error) {
	data, err := b.store.Read(evaluation, "")
	if err != nil {
		return made{}, err
	}
	var ev evaluated
	if err := json.Unmarshal(data, &ev); err != nil {
		return made{}, fmt.Errorf("%s: %w", evaluation, err)
	}
	bench := lscrf.NewBench(b.e.Class.Name, ev.Models, ev.Oracle, b.e.Bench, b.e.Seed)
	var text, csv bytes.Buffer
	if err := report.Text(&text, report.Options{}, bench); err != nil {
		return made{}, err
	}
	if err := report.CSV(&csv, bench); err != nil {
		return made{}, err
	}
	for name, data := range map[string][]byte{benchText: text.Bytes(), benchCSV: csv.Bytes()} {
		if err := b.store.Replace(name, data); err != nil {
			return made{}, err
		}
	}
	n := len(bench.Rows) + len(bench.OtherBalances)
	return made{Read: n, Done: n, Outputs: []string{benchJSON, benchCSV, benchText}}, b.writeJSON(benchJSON, bench)
}

// table reads the results table and adds the times of the run record.
func (b *build) table() (*lscrf.Bench, error) {
	data, err := b.store.Read(benchJSON, "")
	if err != nil {
		return nil, err
	}
	bench := new(lscrf.Bench)
	if err := json.Unmarshal(data, bench); err != nil {
		return nil, fmt.Errorf("%s: %w", benchJSON, err)
	}
	for _, rows := range [][]lscrf.Row{bench.Rows, bench.OtherBalances} {
		for i := range rows {
			r := &rows[i]
			name := lscrf.Spec{Tiers: r.Tiers, Terms: r.Terms, Balance: r.Balance}.Name()
			r.TrainSeconds, r.PredictMS = b.times.Train[name], b.times.Predict[name]
		}
	}
	return bench, nil
}

func (b *build) writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return b.store.Replace(name, append(data, '\n'))
}
