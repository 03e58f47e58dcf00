package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf/tools/dense"
	"hdseg/manifests"
	"hdseg/transfer"
)

type transferResult struct {
	stageResult
	Rows     []transfer.Row   `json:"rows"`
	BySynset []transfer.Row   `json:"by_synset,omitempty"`
	Scores   []transfer.Score `json:"scores,omitempty"`
	// masks without a true one to compare with
	NoTruth int `json:"no_truth,omitempty"`
}

func (r *transferResult) table(w *bytes.Buffer) {
	if r.Manifest != "" {
		r.stageResult.table(w)
	}
	if len(r.Rows) == 0 {
		return
	}
	fmt.Fprintf(w, "%-8s %-6s %-10s %6s %22s %10s %9s %10s %7s %12s %16s\n",
		"class", "tier", "synset", "images", "mean IoU (95%)", "pooled IoU", "per class", "boundary F",
		"CPU ms", "rank of pred", "best 80% (most)")
	rows := r.Rows
	if len(r.BySynset) > len(r.Rows) {
		rows = slices.Concat(rows, r.BySynset)
	}
	for _, row := range rows {
		fmt.Fprintf(w, "%-8s %-6s %-10s %6d %22s %10.3f %8.1f%% %10s %7s %12s %16s\n", row.Class, row.Tier, cmp.Or(row.Synset, "all"), row.Images,
			fmt.Sprintf("%.3f (%s-%s)", row.IoUMean, row.IoUInterval.Low.Format(3), row.IoUInterval.High.Format(3)),
			row.IoUPooled, row.PerClassMean, row.BoundaryF.Format(3), row.CPUms.Format(0), row.Rank.Format(3),
			fmt.Sprintf("%s (%s)", row.IoUBest80.Format(3), row.IoUTrue80.Format(3)))
	}
	reliabilityTable(w, r.Rows)
}

// transferFlags are those of the transfer command alone.
type transferFlags struct {
	truth, sheet, calibration string
	minQuality                float64
	round                     string
	shard                     shardFlag
	merge                     []string
	learn                     bool
}

func (a *app) transferCommand() *cobra.Command {
	var f transferFlags
	cmd := &cobra.Command{
		Use: "transfer MANIFEST", Short: "Make masks for images that have only a box or a label",
		Long: `transfer makes a mask for every training image of the tiers bbox and label. First the manual masks vote where the
object is in the box, or in the whole picture. Then a model of the class judges superpixels. Then a graph cut with colour
models fits the mask to the picture. The bbox tier comes first; the label tier also learns from its best masks.

--evaluate compares the masks with true ones: files ID.png, or named like the picture, with 0 ground, 255 figure and 128
void. They are used for nothing else. Without -o, only masks that the manifest already has are compared.

On several machines, --shard i/n makes the masks of every n-th image of one --round (--learn only learns its models).
--merge then joins the manifests of the shards, in any order. The result has the same bytes as one run. A missing shard is
an error.`,
		Example: `  hdseg transfer out/stages/split.yaml -o out/horseseg.yaml
  hdseg transfer out/horseseg.yaml --evaluate truth/horse --min-quality 0.7 --contact-sheet sheet.png
  hdseg transfer out/stages/split.yaml --round bbox --shard 0/2 -o out/b0.yaml
  hdseg transfer out/stages/split.yaml --round bbox --shard 1/2 -o out/b1.yaml
  hdseg transfer out/stages/split.yaml --round bbox --merge out/b0.yaml,out/b1.yaml -o out/bbox.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.transfer(cmd, f) },
	}
	a.withManifest(cmd)
	a.withConfig(cmd)
	a.withDense(cmd)
	a.withOut(cmd, "manifest to write, in the same folder")
	cmd.Flags().StringVar(&f.truth, "evaluate", "", "compare with the true masks in this `folder`")
	cmd.Flags().Float64Var(&f.minQuality, "min-quality", 0, "compare only masks with this predicted IoU or more, 0 to 1")
	cmd.Flags().StringVar(&f.sheet, "contact-sheet", "", "write the best, median and worst compared masks as a PNG `file`")
	cmd.Flags().StringVar(&f.calibration, "calibration", "", "plot predicted against true IoU in this SVG `file`")
	cmd.Flags().StringVar(&f.round, "round", "", "only this round: bbox or label")
	withShard(cmd, &f.shard, "every n-th image of the round, beginning with the i-th")
	cmd.Flags().StringSliceVar(&f.merge, "merge", nil, "join these manifests of all shards instead of making masks: `files`")
	cmd.Flags().BoolVar(&f.learn, "learn", false, "only learn the models of the round, for shards that share the folder")
	return cmd
}

func (a *app) transfer(cmd *cobra.Command, f transferFlags) error {
	if err := oneOf("--round", cmp.Or(f.round, string(manifests.BBox)), values["round"]); err != nil {
		return err
	}
	switch {
	case a.out == "" && f.truth == "" && !f.learn:
		return usagef("hdseg transfer: want one or more of -o, --evaluate and --learn")
	case f.truth == "" && (f.sheet != "" || f.calibration != "" || f.minQuality != 0):
		return usagef("hdseg transfer: --min-quality, --contact-sheet and --calibration work only with --evaluate")
	case a.dense != "" && a.out == "" && !f.learn:
		return usagef("hdseg transfer: --dense is for making masks: want -o too, or only --evaluate, which compares those that are there")
	case !(f.minQuality >= 0 && f.minQuality <= 1):
		return usagef("hdseg transfer: --min-quality %g: want 0..1", f.minQuality)
	case len(f.merge) > 0 && (f.shard.Of > 0 || f.learn || a.out == ""):
		return usagef("hdseg transfer: --merge needs -o, and does not go with --shard and --learn")
	}
	if err := a.outFiles(append([]string{f.truth}, f.merge...), out{"--contact-sheet", f.sheet, sheetFile},
		out{"--calibration", f.calibration, plotFile}); err != nil {
		return err
	}
	set, err := a.input()
	if err != nil {
		return err
	}
	if _, err := os.Stat(f.truth); f.truth != "" && err != nil {
		return fmt.Errorf("--evaluate: %w", err) // before minutes of work
	}
	r := &transferResult{}
	m, cpu := set.Manifest, map[string]float64(nil)
	if a.out != "" || f.learn {
		if m, cpu, err = a.runTransfer(cmd, f, set); err != nil {
			return err
		}
		a.skip(pipeline.NewSkips(m.Skipped, set.Manifest.Skipped)...)
		if a.out != "" {
			a.listed = "the manifest " + a.out
		}
		r.Manifest = a.out
	}
	if f.truth != "" {
		rep, err := transfer.Evaluate(m, set.Store, f.truth, f.minQuality, cpu)
		if err != nil {
			return err
		}
		if len(rep.Rows) == 0 {
			a.warn(fmt.Sprintf("no mask that could be compared has a predicted IoU of %g or more", f.minQuality))
		}
		r.Rows, r.BySynset, r.Scores, r.NoTruth = rep.Rows, rep.BySynset, rep.Scores, rep.NoTruth
		if rep.NoTruth > 0 {
			a.warn(fmt.Sprintf("%d masks were not compared: %s has no true mask of their images, or one "+
				"that is all void", rep.NoTruth, f.truth))
		}
		if err := writePictures(f, rep, m, set.Store); err != nil {
			return err
		}
	}
	r.Records = recordCounts(m)
	masks := 0
	for _, c := range r.Records {
		if c.Split == manifests.Train && c.Tier != manifests.Manual {
			masks += c.Masks
		}
	}
	a.countDone(masks)
	return a.report(r)
}

// runTransfer makes masks or merges shards, and writes the manifest. It also returns the ms that
// each image took.
func (a *app) runTransfer(cmd *cobra.Command, f transferFlags, set *pipeline.Dataset) (out *manifests.Manifest,
	cpu map[string]float64, err error) {
	name := ""
	if a.out != "" {
		if name, err = a.outputName(set.Store); err != nil {
			return nil, nil, err
		}
	}
	e, err := a.experiment()
	if err != nil {
		return nil, nil, err
	}
	if len(f.merge) > 0 {
		out, err = transfer.Merge(set.Manifest, manifests.Tier(f.round), len(f.merge), func(i int) (transfer.Shard, error) {
			s, err := a.readManifest(f.merge[i])
			if err != nil {
				return transfer.Shard{}, err
			}
			return transfer.Shard{Name: f.merge[i], Manifest: s.Manifest}, nil
		})
		if err != nil {
			return nil, nil, err
		}
		if out.Parent != parentOf(set, out) {
			return nil, nil, fmt.Errorf("transfer: merge: the shards were not made from %s: name the manifest that they were made from", a.in)
		}
		if n, first := notHere(set.Store, out); n > 0 {
			a.warn(fmt.Sprintf("%d masks are not in %s, the first is %s: copy the folders masks of the shards there", n, set.Store.Dir(), first))
		}
	} else {
		if err := dense.Sign(cmd.Context(), e.Transfer.Dense, set.Manifest, a.workers); err != nil {
			return nil, nil, err
		}
		part := transfer.Part{Round: manifests.Tier(f.round), Index: f.shard.I, Count: f.shard.Of, LearnOnly: f.learn}
		res, err := transfer.RunPart(cmd.Context(), set.Manifest, set.Store, e.Transfer, part, a.workers, a.stageProgress)
		if err != nil {
			return nil, nil, err
		}
		a.warnAll(slices.Concat(res.Warnings, res.Mended))
		out, cpu = res.Manifest, res.CPUms
		out.Parent = parentOf(set, out)
	}
	if name != "" {
		_, err = manifests.WriteListed(set.Store, name, out)
	}
	return out, cpu, err
}

// notHere counts the transferred masks that a store does not have, and returns the first.
func notHere(store *manifests.Store, m *manifests.Manifest) (n int, first string) {
	for i := range m.Records {
		for _, k := range m.Records[i].Masks {
			if !k.Transferred() {
				continue
			}
			name, err := store.Path(k.Path)
			if err == nil {
				_, err = os.Stat(name)
			}
			if err != nil {
				if n++; n == 1 {
					first = k.Path
				}
			}
		}
	}
	return n, first
}

// parentOf returns the parent of what transfer made of a data set: a later round continues an
// earlier one.
func parentOf(set *pipeline.Dataset, out *manifests.Manifest) manifests.Digest {
	if m := set.Manifest; m.Stage == out.Stage && m.Config == out.Config {
		return m.Parent
	}
	return set.Digest
}

// writePictures writes what shows an evaluation.
func writePictures(f transferFlags, rep *transfer.Report, m *manifests.Manifest, store *manifests.Store) error {
	if f.calibration != "" {
		svg, err := rep.Calibration()
		if err != nil {
			return err
		}
		if err := writeFile(f.calibration, svg); err != nil {
			return err
		}
	}
	if f.sheet != "" {
		png, err := rep.ContactSheet(m, store)
		if err != nil {
			return err
		}
		return writeFile(f.sheet, signSheet(png))
	}
	return nil
}

// reliabilityTable prints what predicted IoUs are worth, of the rows that have any.
func reliabilityTable(w io.Writer, rows []transfer.Row) {
	head := true
	for _, row := range rows {
		if len(row.Reliability) == 0 {
			continue
		}
		if head {
			fmt.Fprintf(w, "\n%-8s %-6s %13s %9s   %s\n%39s", "class", "tier", "predicted IoU", "true IoU",
				"masks of at least this predicted IoU: number, share truly of at least this IoU, mean true IoU", "")
			for _, c := range row.Reliability {
				fmt.Fprintf(w, " %17g", c.At)
			}
			fmt.Fprintln(w)
			head = false
		}
		fmt.Fprintf(w, "%-8s %-6s %13s %9s", row.Class, row.Tier, row.Predicted.Format(3), row.Actual.Format(3))
		for _, c := range row.Reliability {
			fmt.Fprintf(w, " %17s", fmt.Sprintf("%d %4s%% %s", c.Masks, c.Truly.Scale(100).Format(0), c.IoU.Format(3)))
		}
		fmt.Fprintln(w)
	}
}
