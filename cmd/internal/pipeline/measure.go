package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// Where the measuring half of a build keeps what it makes.
const (
	modelDir   = "models"
	evaluation = "report/evaluation.json"

	benchJSON     = "report/bench.json"
	benchCSV      = "report/bench.csv"
	benchText     = "report/bench.txt"
	benchPage     = "report/index.html"
	benchMarkdown = "report/bench.md"
)

func modelPath(s lscrf.Spec) string { return path.Join(modelDir, s.Name()+".model") }

func (b *build) runFeatures(ctx context.Context) (made, error) {
	set, err := b.dataset(b.final())
	if err != nil {
		return made{}, err
	}
	f, err := built.compute(ctx, b.e, set, b.Workers, b.Progress)
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	return f.made(f.outputs()...), nil
}

// runTrain fits every model of the table.
func (b *build) runTrain(ctx context.Context) (made, error) {
	set, err := b.dataset(b.final())
	if err != nil {
		return made{}, err
	}
	f, err := OpenFeatures(b.e, set)
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	t := NewTrainer(b.e, f, set, b.Workers)
	got := made{Read: t.Source.Len()}
	kept := StoreKept(b.store, func(line string) { got.Warnings = append(got.Warnings, line) })
	t.Kept, t.Loss = kept, b.Loss
	// A model of earlier settings must not be measured as one of these.
	if err := os.RemoveAll(filepath.Join(b.store.Dir(), modelDir)); err != nil {
		return made{}, err
	}
	b.times.Train = map[string]float64{}
	specs := b.specs(set.Manifest)
	left, err := bench.Train(ctx, t, specs, ModelProgress(b.Progress, len(specs)),
		func(spec lscrf.Spec, trained *lscrf.Trained) error {
			data, err := trained.Model.MarshalBinary()
			if err != nil {
				return err
			}
			b.times.Train[spec.Name()] = trained.Seconds
			got.Done++
			got.Outputs = append(got.Outputs, modelPath(spec))
			return b.store.Replace(modelPath(spec), data)
		})
	if err != nil {
		return made{}, err
	}
	got.Warnings = append(got.Warnings, left...)
	return got, kept.Remove()
}

// ModelProgress tells the training of each of n models as a phase.
func ModelProgress(phase Phases, n int) func(i int, s lscrf.Spec) func(done, total int) {
	return func(i int, s lscrf.Spec) func(done, total int) {
		return phase(fmt.Sprintf("training model %d of %d, %s", i+1, n, s.Name()))
	}
}

// NewTrainer returns the trainer of an experiment on the training split of the features of a
// manifest.
func NewTrainer(e *configs.Experiment, f *Features, set *Dataset, workers int) *lscrf.Trainer {
	return &lscrf.Trainer{
		Source: lscrf.FromCache(f.Cache, manifests.Train), Options: e.Train, Groups: lscrf.GroupsOf(set.Manifest.Records), Seed: e.Seed,
		Workers: workers, About: lscrf.Model{Class: e.Class.Name, Labels: lscrf.FigureGround(), Setup: f.Setup, Manifest: set.Digest},
	}
}

// Evaluated is report/evaluation.json: the counts from which every score of the table follows.
type Evaluated struct {
	Test   []string         `json:"test"` // ids, in the order of all scores
	Truth  manifests.Digest `json:"truth"`
	Oracle *bench.Score     `json:"oracle"`
	Models []bench.Measured `json:"models"`
}

// runEvaluate measures every model on the test split.
func (b *build) runEvaluate(ctx context.Context) (made, error) {
	m, _, err := manifests.Read(b.store, b.final())
	if err != nil {
		return made{}, err
	}
	setup, err := built.setup(b.e, b.store)
	if err != nil {
		return made{}, err
	}
	test, skips, err := bench.Load(ctx, m, manifests.Test, b.store, setup, b.Workers, b.Progress("cutting test pictures into superpixels"))
	if err != nil {
		return made{}, err
	}
	var warnings []string
	switch {
	case len(test) > 0:
	case b.Split.TestShare > 0:
		warnings = append(warnings, fmt.Sprintf("no test record: the table has no scores; a share of the pictures with masks is held out "+
			"(testShare %g), but there are fewer than two: add masks that a person drew, or give --test a folder with images/ and masks/",
			b.Split.TestShare))
	default:
		warnings = append(warnings, "no test record: the table has no scores; give --test a folder with images/ and masks/, or hold out a "+
			"share of two or more pictures with masks with --test-share 0.2")
	}
	ev := Evaluated{Test: bench.IDs(test), Truth: bench.TruthDigest(test), Oracle: bench.Oracle(test, 2), Models: []bench.Measured{}}
	b.times.Predict = map[string]float64{}
	var models []*lscrf.Model
	for _, spec := range b.specs(m) {
		model, err := b.model(spec)
		if errors.Is(err, fs.ErrNotExist) {
			continue // runTrain had no image for it, or too few; the table lists it as missing
		}
		if err != nil {
			return made{}, err
		}
		models = append(models, model)
		ev.Models = append(ev.Models, bench.Measured{Spec: spec, Images: model.Images})
	}
	scores, err := bench.Evaluate(ctx, models, test, b.Workers, b.Progress("measuring the models on test pictures"))
	if err != nil {
		return made{}, err
	}
	for i, score := range scores {
		m := &ev.Models[i]
		m.Score = score
		b.times.Predict[m.Spec.Name()] = score.PredictMS()
	}
	warnings = append(warnings, Idle(ev.Models)...)
	return made{Read: len(test) + len(skips), Done: len(test), Skips: skips, Warnings: warnings, Outputs: []string{evaluation}},
		WriteJSON(b.store, evaluation, ev)
}

// model reads a model that runTrain made.
func (b *build) model(spec lscrf.Spec) (*lscrf.Model, error) {
	data, err := b.store.Read(modelPath(spec), "")
	if err != nil {
		return nil, err
	}
	m := new(lscrf.Model)
	if err := m.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("%s: %w", modelPath(spec), err)
	}
	if d := m.Setup.Feature.Dense; d != nil && b.e.Feature.Dense != nil {
		d.Dir = b.e.Feature.Dense.Dir
	}
	return m, nil
}

// Idle returns a warning for every model that gives all pixels of all pictures one label: its
// accuracy says nothing.
func Idle(models []bench.Measured) []string {
	var out []string
	for _, m := range models {
		if len(m.Score.Images) == 0 {
			continue
		}
		pool := metric.Pool(m.Score.Images[0].Labels, m.Score.Images)
		used := 0
		for p := range pool.Labels {
			n := int64(0)
			for t := range pool.Labels {
				n += pool.N[t*(pool.Labels+1)+p]
			}
			if n > 0 {
				used++
			}
		}
		if used == 1 {
			out = append(out, fmt.Sprintf("model %s gives every pixel the same label: too few superpixels, images or rows to learn from",
				m.Spec.Name()))
		}
	}
	return out
}

// runBench makes the table. Its files hold no times, so that equal builds give equal bytes: those
// are in the run record.
func (b *build) runBench(ctx context.Context) (made, error) {
	var ev Evaluated
	if err := readJSON(b.store, evaluation, &ev); err != nil {
		return made{}, err
	}
	set, err := b.dataset(b.final())
	if err != nil {
		return made{}, err
	}
	table, err := bench.NewTable(ctx, b.e.Class.Name, ev.Test, b.specs(set.Manifest), ev.Models, ev.Oracle, b.e.Bench.Samples, b.e.Seed)
	if err != nil {
		return made{}, err
	}
	table.Made = MadeFrom(b.e, set.Digest, ev.Truth)
	page, err := b.page(ctx, set, table)
	if err != nil {
		return made{}, err
	}
	var text, csv, html, markdown bytes.Buffer
	report.Text(&text, report.Options{}, table)
	report.Markdown(&markdown, page)
	if err := cmp.Or(report.CSV(&csv, table), report.HTML(&html, page)); err != nil {
		return made{}, err
	}
	for name, data := range map[string]*bytes.Buffer{benchText: &text, benchCSV: &csv, benchPage: &html, benchMarkdown: &markdown} {
		if err := b.store.Replace(name, data.Bytes()); err != nil {
			return made{}, err
		}
	}
	n := len(table.All())
	return made{Read: n, Done: n, Outputs: []string{benchJSON, benchCSV, benchText, benchPage, benchMarkdown}},
		WriteJSON(b.store, benchJSON, Table{table, page.Differences, page.Settings})
}

// table reads the results table and adds the times of the run record.
func (b *build) table() (*bench.Table, error) {
	t := new(bench.Table)
	if err := readJSON(b.store, benchJSON, t); err != nil {
		return nil, err
	}
	for _, rows := range [][]bench.Row{t.Rows, t.OtherBalances} {
		for i := range rows {
			name := rows[i].Spec().Name()
			rows[i].TrainSeconds, rows[i].PredictMS = b.times.Train[name], b.times.Predict[name]
		}
	}
	return t, nil
}
