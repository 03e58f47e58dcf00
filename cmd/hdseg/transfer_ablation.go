package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/manifests"
	"hdseg/transfer"
)

type ablationResult struct {
	summary
	Rows []transfer.AblationRow `json:"rows"`
}

func (r *ablationResult) table(w io.Writer) error {
	fmt.Fprintf(w, "%-8s %-6s %-28s %6s %22s %10s %7s\n", "class", "tier", "method", "images", "mean IoU (95%)", "boundary F", "CPU ms")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%-8s %-6s %-28s %6d %22s %10s %7s\n", row.Class, row.Tier, row.Piece, row.Images,
			fmt.Sprintf("%.3f (%s-%s)", row.IoUMean, row.IoUInterval.Low.Format(3), row.IoUInterval.High.Format(3)),
			row.BoundaryF.Format(3), row.CPUms.Format(0))
	}
	return nil
}

// ablate prints what each piece of the method adds.
func (a *app) ablate(cmd *cobra.Command, f transferFlags, store *manifests.Store, m *manifests.Manifest) error {
	e, err := configs.Load(a.config, a.set...)
	if err != nil {
		return err
	}
	r := &ablationResult{summary: newSummary("transfer")}
	r.Read = len(m.Records)
	if r.Rows, err = transfer.Ablate(cmd.Context(), m, store, f.truth, e.Transfer, manifests.Tier(f.round), a.workers, a.stageProgress("ablation")); err != nil {
		return err
	}
	for i, row := range r.Rows {
		r.Done += row.Images
		if row.NoTruth > 0 && (i == 0 || r.Rows[i-1].Tier != row.Tier) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %d images were not segmented: %s has no true mask of them, or one that is void throughout", row.Tier, row.NoTruth, f.truth))
		}
		if row.Skipped > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s, %s: %d images could not be segmented", row.Tier, row.Piece, row.Skipped))
		}
	}
	return a.report(r)
}
