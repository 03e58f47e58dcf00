package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"hdseg/cmd/internal/demo"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

type buildResult struct {
	summary
	Manifest string                 `json:"manifest"` // index file
	Report   string                 `json:"report"`   // folder
	Stages   []pipeline.StageReport `json:"stages"`
	Rows     []bench.Row            `json:"rows"`
	Other    []bench.Row            `json:"other_balances"`
	Oracle   bench.Row              `json:"oracle"`

	bench *bench.Table
}

func (r *buildResult) table(w io.Writer) error {
	for _, s := range r.Stages {
		state := fmt.Sprintf("%.1f s", s.Seconds)
		if s.UpToDate {
			state = "up to date"
		}
		skips := ""
		if len(s.Skips) > 0 {
			skips = fmt.Sprintf(", skipped %d", len(s.Skips))
		}
		aside := ""
		if len(s.Aside) > 0 {
			aside = ", left aside" + byReason(s.Aside)
		}
		fmt.Fprintf(w, "%-9s %s: read %d, done %d%s%s\n", s.Name, state, s.Read, s.Done, skips, aside)
	}
	if err := report.Text(w, report.Options{Times: true}, r.bench); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nmanifest %s\nreport   %s\n", r.Manifest, r.Report)
	return err
}

func (a *app) buildCommand() *cobra.Command {
	req := pipeline.Request{}
	var sources sourceFlags
	dryRun := false
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build a data set from its sources and measure its tiers",
		Long: `build runs ingest, split, transfer, features, train, evaluate and bench. Stages whose inputs and
settings have not changed are not run again; interrupted at any point, the same command continues.

Sources may be folders or tar, tar.gz archives; lists are comma-separated.`,
		Example: `  hdseg build -c horseseg --voc VOCdevkit/VOC2012 --imagenet n02374451.tar --boxes n02374451.tar.gz --test test/horse -o out
  hdseg build -c my.yaml --set transfer.pool.neighbors=20 --voc VOCdevkit/VOC2012 --test test/horse -o out
  hdseg build -c dogseg --dry-run        # print all settings`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.experiment()
			if err == nil {
				err = sources.apply(e)
			}
			if err != nil {
				return err
			}
			if dryRun {
				return dryBuild(a.stdout, e, req.Strict)
			}
			req.Experiment, req.Sources, req.Out = e, sources.Request, a.out
			return a.build(cmd, "build", req)
		},
	}
	a.withConfig(cmd)
	a.withOut(cmd, "folder of the data set (required)")
	f := cmd.Flags()
	sources.add(cmd)
	f.BoolVar(&req.Strict, "strict", false, "a training image that is also in the test split is an error")
	f.StringVar(&req.From, "from", "", "run from this `stage` on even if nothing changed")
	f.BoolVar(&dryRun, "dry-run", false, "print the settings that would be used, and the digests that manifests would name them "+
		"by, and stop")
	return cmd
}

// dryBuild prints the settings of an experiment and, as comments, what the header of each stage's
// manifest would have as config.
func dryBuild(w io.Writer, e *configs.Experiment, strict bool) error {
	if err := yaml.NewEncoder(w).Encode(e); err != nil {
		return err
	}
	ingested, err := yaml.Marshal(e.Ingest)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		stage  string
		config manifests.Digest
	}{
		{"ingest", manifests.Sum(ingested)}, {"split", configs.Digest("split", strict)}, {"transfer",
			manifests.Sum(e.Transfer.Canonical())},
	} {
		if _, err := fmt.Fprintf(w, "# config of stage %s: %s\n", s.stage, s.config); err != nil {
			return err
		}
	}
	return nil
}

// build runs a build and reports it under the name of the command.
func (a *app) build(cmd *cobra.Command, name string, req pipeline.Request) error {
	if req.Out == "" {
		return usagef("hdseg %s: -o is missing: name the folder of the data set", name)
	}
	if req.From != "" && !slices.Contains(pipeline.Stages, req.From) {
		return usagef("--from %q: want one of %s", req.From, strings.Join(pipeline.Stages, ", "))
	}
	req.Workers, req.Progress, req.Loss = a.workers, a.stageProgress, a.trainLoss
	if err := req.Validate(); err != nil {
		return &usageError{err}
	}
	s := newSummary(name)
	got, err := pipeline.Build(cmd.Context(), req)
	if err != nil {
		return err
	}
	s.Read, s.Done = got.Stages[0].Read, got.Stages[0].Done
	seen := map[manifests.Skip]bool{}
	for _, st := range got.Stages {
		for _, k := range st.Skips {
			if !seen[k] {
				seen[k] = true
				s.skip([]manifests.Skip{k})
			}
		}
	}
	s.Warnings = append(s.Warnings, got.Warnings...)
	return a.report(&buildResult{
		summary: s, Manifest: filepath.Join(req.Out, got.Manifest), Report: filepath.Join(req.Out, "report"),
		Stages: got.Stages, Rows: got.Bench.Rows, Other: got.Bench.OtherBalances, Oracle: got.Bench.Oracle, bench: got.Bench,
	})
}

// demoWorld is what demo draws: tests draw less.
var demoWorld = demo.Defaults()

func (a *app) demoCommand() *cobra.Command {
	o, out := demoWorld, ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Draw a small world and build a data set from it",
		Long: `demo draws four-legged figures on cluttered grounds as a VOC devkit, an ImageNet synset tar with a box
archive, and a folder of test masks, and runs on them the same build as real archives get. It shows that
everything works and what the output looks like; its figures say nothing about real images.`,
		Example: `  hdseg demo
  hdseg demo --class dog -o /tmp/dogs`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return &usageError{err}
			}
			e, err := configs.Load(o.Class + "seg")
			if err != nil {
				return err
			}
			sources := filepath.Join(out, "sources")
			w, err := demo.Draw(sources, o, a.stageProgress("draw"))
			if err != nil {
				return err
			}
			return a.build(cmd, "demo", pipeline.Request{
				Experiment: e, Out: filepath.Join(out, "dataset"),
				Sources: ingest.Request{VOC: []string{w.VOCDir}, ImageNet: []string{w.ImageNetTar}, Boxes: []string{w.BoxesTar},
					Test: w.TestDir},
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "hdseg-demo", "folder for the drawn sources and the data set")
	cmd.Flags().StringVar(&o.Class, "class", o.Class, "horse or dog")
	cmd.Flags().BoolVar(&o.Faults, "faults", false, "plant faults in the sources, to see what a build makes of them")
	return cmd
}
