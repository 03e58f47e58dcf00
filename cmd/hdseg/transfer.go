package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hdseg/manifests"
	"hdseg/transfer"
)

type transferResult struct {
	stageResult
	Rows []transfer.Row `json:"rows"`
}

func (r *transferResult) table(w io.Writer) error {
	if r.Manifest != "" {
		if err := r.stageResult.table(w); err != nil {
			return err
		}
	}
	if len(r.Rows) == 0 {
		return nil
	}
	fmt.Fprintf(w, "%-8s %-6s %7s %9s %11s %10s %10s\n", "class", "tier", "images", "mean IoU", "pooled IoU", "per class", "CPU ms")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%-8s %-6s %7d %9.3f %11.3f %9.1f%% %10.0f\n", row.Class, row.Tier, row.Images, row.IoUMean, row.IoUPooled, row.PerClassMean, row.CPUms)
	}
	return nil
}

func (a *app) transferCommand() *cobra.Command {
	truth := ""
	cmd := &cobra.Command{
		Use: "transfer", Short: "Give the bbox and label images masks by segmentation transfer", Args: noArgs,
		Long: `transfer gives every training image of the bbox and label tiers a mask: the masks of the most similar
manual windows vote for a prior, and colour models with a graph cut fit it to the picture. With --evaluate the
masks are compared with true ones (ID.png: 0, 255, 128 void), which it reads for nothing else; without -o only
the masks that the manifest has already are compared.`,
		Example: `  hdseg transfer -i out/stages/split.yaml -o out/horseseg.yaml
  hdseg transfer -i out/horseseg.yaml --evaluate truth/horse`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, m, digest, err := a.input("transfer")
			if err != nil {
				return err
			}
			if a.out == "" && truth == "" {
				return usagef("hdseg transfer: want -o, --evaluate or both")
			}
			s := newSummary("transfer")
			s.Read = len(m.Records)
			r := &transferResult{}
			var cpu map[string]float64
			if a.out != "" {
				name, err := a.outputName("transfer", store)
				if err != nil {
					return err
				}
				e, err := a.experiment()
				if err != nil {
					return err
				}
				before := len(m.Skipped)
				res, err := transfer.Run(cmd.Context(), m, store, e.Transfer, a.workers, a.stageProgress("transfer"))
				if err != nil {
					return err
				}
				out := res.Manifest
				out.Parent = digest
				s.skip(newSkips(out.Skipped, m.Skipped[:before]))
				if _, err := manifests.Write(store, name, out); err != nil {
					return err
				}
				m, cpu, r.Manifest = out, res.CPUms, a.out
			}
			if truth != "" {
				if r.Rows, err = transfer.Evaluate(m, store, truth, cpu); err != nil {
					return err
				}
			}
			r.Records = recordCounts(m)
			for _, c := range r.Records {
				if c.Split == manifests.Train && c.Tier != manifests.Manual {
					s.Done += c.Masks
				}
			}
			r.summary = s
			return a.report(r)
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	a.withOut(cmd, "manifest to write, in the same folder")
	cmd.Flags().StringVar(&truth, "evaluate", "", "compare with the true masks in this `folder`")
	return cmd
}

// newSkips returns what is in now but not in before.
func newSkips(now, before []manifests.Skip) []manifests.Skip {
	old := map[manifests.Skip]bool{}
	for _, k := range before {
		old[k] = true
	}
	var out []manifests.Skip
	for _, k := range now {
		if !old[k] {
			out = append(out, k)
		}
	}
	return out
}
