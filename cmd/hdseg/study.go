package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/bench/study"
	"hdseg/manifests"
)

type studyResult struct {
	summary
	Class string `json:"class"`
	*study.Result
}

func (r *studyResult) table(w io.Writer) error {
	printSections(w, studySections(r.Class, r.Result))
	var times []string
	for _, part := range slices.Sorted(maps.Keys(r.Times)) {
		times = append(times, fmt.Sprintf("%s %.1f s", part, r.Times[part]))
	}
	_, err := fmt.Fprintf(w, "\ntimes: %s\n", strings.Join(times, ", "))
	return err
}

// printSections prints sections for a terminal.
func printSections(w io.Writer, sections []report.Section) {
	for _, s := range sections {
		fmt.Fprintf(w, "\n%s\n", s.Title)
		for _, t := range s.Text {
			fmt.Fprintln(w, strings.ReplaceAll(t, "\n", " "))
		}
		if len(s.Rows) > 0 {
			printAligned(w, append([][]string{s.Head}, s.Rows...))
		}
	}
}

// printAligned prints rows with columns as wide as their cells; a row of one cell is a heading.
func printAligned(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			if len(row) > 1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(c))
			}
		}
	}
	for _, row := range rows {
		line := ""
		for i, c := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], c)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func (a *app) studyCommand() *cobra.Command {
	o, files, again := study.Defaults(), benchFiles{}, false
	cmd := &cobra.Command{
		Use: "study", Short: "Learning curves, exchange rates, tier weights, quality thresholds", Args: noArgs,
		Long: `study asks what the table of bench does not: accuracy against the number of images of each tier, how many images
of a tier replace a manual one, tier weights by nested cross-validation against the best unweighted mix, what each tier
adds beside the others, and what it does to keep only masks of high predicted quality.

Models are linear, on the cached features, from sums of exact statistics; with --model trees, curves, exchange rates and what a
tier adds are of trees, which are trained for every point and kept in .work/checkpoints of the data set until the study is done, as
bench keeps them; a point with too few images for the settings is left out, with the reason. These parts are measured on the test split, from which nothing is
chosen; weights and thresholds on manual training images held out.`,
		Example: `  hdseg study -i out/horseseg.yaml
  hdseg study -i out/dogseg.yaml -c dogseg --draws 10 --html study.html --json
  hdseg study -i out/horseseg.yaml --model trees --draws 2 --set train.trees.leaves=shared --set train.trees.trees=300`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.experiment()
			if err != nil {
				return err
			}
			o.Seed, o.Samples, o.Workers = e.Seed, e.Bench.Samples, a.workers
			if err := o.Validate(); err != nil {
				return &usageError{err}
			}
			if err := a.outFiles(nil, files.outs()...); err != nil {
				return err
			}
			store, m, digest, err := a.input("study")
			if err != nil {
				return err
			}
			s := newSummary("study")
			t, close, err := a.trainer(cmd, shardFlag{}, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			defer close()
			in := &study.Input{Train: t.Source, About: t.About, Options: e.Train, Quality: pipeline.Qualities(m), Alike: t.Alike}
			for split, to := range map[manifests.Split]*[]lscrf.Scored{manifests.Test: &in.Test, manifests.Train: &in.Manual} {
				images, skips, err := lscrf.LoadScored(cmd.Context(), m, split, store, t.About.Setup, a.workers, a.stageProgress(string(split)))
				if err != nil {
					return err
				}
				s.skip(skips)
				*to = images
			}
			if again && len(in.Manual) < o.Folds {
				return fmt.Errorf("--transfer: %d training images have a manual mask, want %d or more, one for each fold (--folds)", len(in.Manual), o.Folds)
			}
			if again {
				in.Without, err = pipeline.TransferWithout(cmd.Context(), e, store, m, t.About.Setup, study.Deal(in.Manual, in.Alike, o), a.workers, a.stageProgress)
				if err != nil {
					return err
				}
			}
			keep := pipeline.StoreCheckpoints(store, a.warn)
			in.Keep, a.after = keep, afterTraining(keep)
			r, err := study.Run(cmd.Context(), in, o, a.partProgress())
			if err != nil {
				return err
			}
			if r.Masks, err = study.CompareMasks(cmd.Context(), m, store); err != nil {
				return err
			}
			s.Read, s.Done = len(m.Records), t.Source.Len()
			s.Warnings = append(s.Warnings, r.Left...)
			if files != (benchFiles{}) {
				p, err := pipeline.NewPage(cmd.Context(), e, m, digest, nil, commandLine())
				if err != nil {
					return err
				}
				p.Facts, p.Studies = append(p.Facts, a.machine()), studySections(m.Class.Name, r)
				if err := files.write(p); err != nil {
					return err
				}
			}
			if err := keep.Remove(); err != nil {
				return err
			}
			return a.report(&studyResult{s, m.Class.Name, r})
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	a.withMinQuality(cmd)
	cmd.Flags().StringVar(&o.Model, "model", o.Model, "linear or trees, of curves, exchange rates and what a tier adds")
	cmd.Flags().IntVar(&o.Draws, "draws", o.Draws, "random orders of the images per learning curve, 1 to 1000")
	cmd.Flags().IntVar(&o.Folds, "folds", o.Folds, "parts of the manual images in cross-validation, 3 or more")
	cmd.Flags().Var(&numbers{&o.Weights}, "weights", "weights that a tier may get where an unweighted mix has 0 or 1: `numbers`, 0 to 1000, such as 0,0.5,1")
	cmd.Flags().Var(&numbers{&o.Keep}, "keep", "fractions of a tier's masks to keep, by predicted quality: `numbers` between 0 and 1, such as 0.9,0.8")
	cmd.Flags().BoolVar(&again, "transfer", false, "transfer the masks anew for every fold, without its manual images as sources: as long as so many transfers, once")
	cmd.Flags().StringVar(&files.html, "html", "", "also write the study as one HTML `file`, with plots")
	cmd.Flags().StringVar(&files.markdown, "markdown", "", "also write its tables to this Markdown `file`")
	return cmd
}

// numbers is a flag of several numbers, separated by commas; of several the last counts.
type numbers struct{ to *[]float64 }

func (n *numbers) Type() string { return "numbers" }

func (n *numbers) String() string {
	var out []string
	if n.to != nil { // as the help asks of a flag without a value
		for _, v := range *n.to {
			out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return strings.Join(out, ",")
}

func (n *numbers) Set(text string) error {
	var out []float64
	for field := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return fmt.Errorf("got %q, want numbers separated by commas", field)
		}
		out = append(out, v)
	}
	*n.to = out
	return nil
}
