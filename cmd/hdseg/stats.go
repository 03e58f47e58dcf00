package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hdseg/manifests"
)

// A recordCount is one line of the counts of a manifest.
type recordCount struct {
	Split  manifests.Split `json:"split"`
	Tier   manifests.Tier  `json:"tier"`
	Images int             `json:"images"`
	Masks  int             `json:"masks"`
	Figure float64         `json:"figure_share"` // mean share of figure among the pixels that are not void, of the tier's newest masks
}

// recordCounts tallies a manifest: a record counts once under each of its tiers.
func recordCounts(m *manifests.Manifest) []recordCount {
	var out []recordCount
	for _, t := range manifests.Tallies(m, false) {
		out = append(out, recordCount{t.Split, t.Tier, t.Images, t.Masks, t.FigureShare.Mean})
	}
	return out
}

func countTable(w io.Writer, records []recordCount) {
	fmt.Fprintf(w, "%-6s %-20s %8s %8s %8s\n", "split", "tier", "images", "masks", "figure")
	for _, c := range records {
		fmt.Fprintf(w, "%-6s %-20s %8d %8d %7.1f%%\n", c.Split, c.Tier, c.Images, c.Masks, 100*c.Figure)
	}
}

type statsResult struct {
	summary
	Dataset string        `json:"dataset"`
	Records []recordCount `json:"records"`
}

func (r *statsResult) table(w io.Writer) error {
	fmt.Fprintln(w, r.Dataset)
	countTable(w, r.Records)
	return nil
}

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stats MANIFEST", Short: "Count images and masks by split and tier", Args: exactArgs("MANIFEST"),
		Example: "  hdseg stats out/horseseg.yaml --json",
		RunE: func(_ *cobra.Command, args []string) error {
			_, m, _, err := manifests.ReadFile(args[0])
			if err != nil {
				return err
			}
			s := newSummary("stats")
			s.Read, s.Done = len(m.Records), len(m.Records)
			return a.report(&statsResult{s, m.Dataset, recordCounts(m)})
		},
	}
}
