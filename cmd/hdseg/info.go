package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"hdseg/annotate/campaign"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/cache"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// An infoResult says what a file is and what it was made from.
type infoResult struct {
	summary
	File  string        `json:"file"`  // as it was named
	Kind  string        `json:"kind"`  // manifest, model, statistics, checkpoint, ...
	Facts []report.Fact `json:"facts"` // in the order in which the table has them
	// settings that differ from the defaults of this version
	Settings []configs.Change `json:"settings"`
}

func (r *infoResult) table(w *bytes.Buffer) {
	fmt.Fprintf(w, "%s: %s\n", r.File, r.Kind)
	for _, f := range r.Facts {
		fmt.Fprintf(w, "  %-20s %s\n", f.Name, f.Value)
	}
	for i, c := range r.Settings {
		name := ""
		if i == 0 {
			name = "settings"
		}
		fmt.Fprintf(w, "  %-20s %s: %s (default %s)\n", name, c.Path, c.Value, cmp.Or(c.Default, "unknown in this version"))
	}
}

// add adds a fact; one without a value is none.
func (r *infoResult) add(name string, value any) {
	if text := fmt.Sprint(value); text != "" && text != "0" {
		r.Facts = append(r.Facts, report.Fact{Name: name, Value: text})
	}
}

func (a *app) infoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "info FILE", Short: "Say what a file is and what it was made from", Args: exactArgs("FILE"),
		Long: `info tells by the bytes of a file, whatever its name, whether it is a manifest, a model, statistics, a checkpoint, a
feature file, a run record, a config, a results table or another file of a data set; folders of features and of annotation
campaigns are known too. It prints the version of hdseg, the class, tiers and counts, the digests of what the file was made
from, and the settings that differ from the defaults.`,
		Example: `  hdseg info horse.model
  hdseg info out/horseseg.yaml --json
  hdseg info out/annotate/horseseg`,
		RunE: func(_ *cobra.Command, args []string) error {
			r := &infoResult{File: args[0], Facts: []report.Fact{}, Settings: []configs.Change{}}
			if err := r.look(); err != nil {
				return err
			}
			a.all(1)
			a.silent = true
			return a.report(r)
		},
	}
}

// look finds out what the file is.
func (r *infoResult) look() error {
	st, err := os.Stat(r.File)
	if err != nil {
		return err
	}
	if st.IsDir() {
		return r.folder()
	}
	data, err := os.ReadFile(r.File)
	if err != nil {
		return err
	}
	if k := kindOf(data[:min(len(data), sniffed)]); k != nil {
		r.Kind = k.name
		if err := k.read(r, data); err != nil {
			return fmt.Errorf("%s: looks like %s, but cannot be read: %w", r.File, article(k.name), err)
		}
		r.add("bytes", len(data))
		r.add("sha256", manifests.Sum(data))
		return nil
	}
	what := raster.Foreign(data)
	if f := raster.Sniff(data); f != "" {
		what = "a picture, " + f
	}
	var names []string
	for _, k := range infoKinds() {
		names = append(names, k.name)
	}
	return fmt.Errorf("%s: is no file that info knows: got %s; it knows these kinds: %s, campaign folder, feature folder", r.File, what,
		strings.Join(names, ", "))
}

func (r *infoResult) folder() error {
	if exists(filepath.Join(r.File, "plan.json")) {
		r.Kind = "campaign folder"
		return r.campaign()
	}
	if exists(filepath.Join(r.File, "index.json")) {
		r.Kind = "feature folder"
		return r.features()
	}
	_, _, err := manifests.Locate(r.File) // says how to name a manifest in the folder
	return err
}

func (r *infoResult) part([]byte) error {
	r.add("manifest", manifestOf(r.File))
	return nil
}

// pictures are those that a model was trained on.
func (r *infoResult) pictures(data []byte) error {
	model, rest, _ := strings.Cut(strings.TrimPrefix(string(data), pipeline.PicturesHead), "\n")
	r.add("model", model)
	r.add("pictures", strings.Count(rest, "\n"))
	return nil
}

func (r *infoResult) manifest([]byte) error {
	store, m, _, err := manifests.ReadFile(r.File)
	if err != nil {
		return err
	}
	stages, missing, err := manifests.Lineage(store, m)
	if err != nil {
		return err
	}
	r.add("data set", m.Dataset)
	r.add("class", m.Class.Name)
	r.add("made by", fmt.Sprintf("%s %s, stage %s", m.Tool, m.Version, m.Stage))
	r.add("seed", m.Seed)
	r.add("records", len(m.Records))
	for _, c := range m.Counts() {
		r.add("  "+string(c.Split)+" "+string(c.Tier), c.Images)
	}
	skipped := map[string]int{}
	for _, s := range m.Skipped {
		skipped[s.Reason]++
	}
	r.add("skipped", strings.TrimPrefix(byReason(skipped), " "))
	for _, s := range stages {
		r.add("made from", fmt.Sprintf("%s.yaml, stage %s, sha256 %s", s.Name, s.Header.Stage, s.Digest))
	}
	if missing != "" {
		r.add("made from", fmt.Sprintf("sha256 %s, which is not in this folder", missing))
	}
	if m.Stage == "ingest" || m.Stage == "transfer" {
		r.Settings, err = configs.Changes(m.Stage, m.Settings)
	}
	return err
}

func (r *infoResult) model(data []byte) error {
	m := new(lscrf.Model)
	if err := m.UnmarshalBinary(data); err != nil {
		return err
	}
	return r.about(m)
}

// about says what a model is; that of statistics has no kind yet.
func (r *infoResult) about(m *lscrf.Model) error {
	if m.Kind != "" {
		r.add("model", m.Kind+", "+m.Terms)
		r.add("tiers", m.Tiers.Plus())
		r.add("training images", m.Images)
	}
	r.add("class", m.Class)
	r.add("labels", strings.Join(m.Labels, ", "))
	r.add("features", fmt.Sprintf("%s, %d numbers for each superpixel", m.Setup.Feature.Set, m.Dim))
	r.add("hdseg", m.Version)
	r.add("made from", "manifest with sha256 "+string(m.Manifest))
	text := configs.YAML(map[string]any{"superpixel": m.Setup.Superpixel, "feature": m.Setup.Feature, "train": m.Options})
	var err error
	r.Settings, err = configs.Changes("", string(text))
	return err
}

func (r *infoResult) statistics(data []byte) error {
	p := new(lscrf.Partial)
	if err := p.UnmarshalBinary(data); err != nil {
		return err
	}
	var shards []string
	for _, s := range p.Shards {
		shards = append(shards, fmt.Sprintf("%d/%d", s, p.Of))
	}
	r.add("shards", strings.Join(shards, ", "))
	images := p.Images()
	for _, tiers := range slices.Sorted(maps.Keys(images)) {
		r.add("images of "+tiers, images[tiers])
	}
	return r.about(&p.About)
}

func (r *infoResult) checkpoint(data []byte) error {
	t, err := lscrf.ReadCheckpoint(data)
	if err != nil {
		return err
	}
	r.add("holds", fmt.Sprintf("a finished model, trained in %.1f s, for the next run of the same command", t.Seconds))
	return r.about(t.Model)
}

func (r *infoResult) features() error {
	f, err := cache.Inspect(r.File)
	if err != nil {
		return err
	}
	r.add("images", f.Images)
	r.add("features", fmt.Sprintf("%d numbers for each superpixel", f.Dim))
	if f.Files > 1 {
		r.add("files", f.Files)
	}
	r.add("made from", "manifest, settings and vocabulary with the common key "+string(f.Key))
	return nil
}

func (r *infoResult) run(data []byte) error {
	var rec pipeline.RunRecord
	if err := yaml.Unmarshal(data, &rec); err != nil {
		return err
	}
	r.add("manifest", manifestOf(r.File))
	r.add("command", rec.Command)
	r.add("finished", rec.Finished)
	r.add("hdseg revision", rec.Revision)
	r.add("machine", fmt.Sprintf("%s, %s, %d processors, %d workers", rec.Go, rec.Platform, rec.CPUs, rec.Workers))
	for _, s := range slices.Sorted(maps.Keys(rec.Stages)) {
		r.add("seconds of "+s, fmt.Sprintf("%.2f", rec.Stages[s]))
	}
	r.add("models", len(rec.Train))
	return nil
}

func (r *infoResult) results() error {
	t, err := readTable(r.File)
	if err != nil {
		return err
	}
	r.add("class", t.Oracle.Class)
	r.add("rows", len(t.All()))
	r.add("test images", len(t.Test))
	r.add("hdseg", t.Version)
	r.add("command", t.By.Command)
	r.add("made from", "manifest with sha256 "+string(t.Made.Manifest))
	r.Settings, err = configs.Changes("", t.Settings)
	return err
}

func (r *infoResult) evaluation(data []byte) error {
	var e pipeline.Evaluated
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	r.add("models", len(e.Models))
	r.add("test images", len(e.Test))
	r.add("true masks", "sha256 "+string(e.Truth))
	return nil
}

// list counts the rows of a CSV file.
func (r *infoResult) list(data []byte) error {
	c := csv.NewReader(bytes.NewReader(data))
	c.FieldsPerRecord = -1
	rows, err := c.ReadAll()
	if err != nil {
		return err
	}
	r.add("columns", strings.Join(rows[0], ", "))
	// 0 says something too
	r.Facts = append(r.Facts, report.Fact{Name: "rows", Value: strconv.Itoa(len(rows) - 1)})
	return nil
}

func (r *infoResult) config(data []byte) error {
	e, err := configs.Load(r.File)
	if err != nil {
		return err
	}
	r.add("data set", e.Dataset)
	r.add("class", e.Class.Name)
	r.Settings, err = configs.Changes("", string(data))
	return err
}

func (r *infoResult) settings(data []byte) error {
	part, _ := configs.PartOf(data)
	r.add("stage", part)
	r.add("manifest", manifestOf(r.File))
	var err error
	r.Settings, err = configs.Changes(part, string(data))
	return err
}

func (r *infoResult) campaign() error {
	c, err := campaign.Summarize(r.File)
	if err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	r.add("data set", c.Dataset)
	r.add("images begun", c.Images)
	for _, s := range slices.Sorted(maps.Keys(c.States)) {
		r.add("  masks "+s, c.States[s])
	}
	r.add("events", c.Events)
	r.add("people", strings.Join(c.People, ", "))
	if c.Events > 0 {
		r.add("time", c.From+" to "+c.To)
	}
	if c.BlindShare > 0 {
		r.add("drawn blind", fmt.Sprintf("%g of the images, beginning with %s", c.BlindShare, c.BlindStart))
	}
	return nil
}
