package main

import (
	"cmp"
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
	Dataset string            `json:"dataset"`
	Records []recordCount     `json:"records"`
	Tallies []manifests.Tally `json:"tallies"` // the same with sizes, shares and qualities; with --synsets also by synset
}

func (r *statsResult) table(w io.Writer) error {
	fmt.Fprintln(w, r.Dataset)
	fmt.Fprintf(w, "%-6s %-20s %-10s %8s %8s %8s %8s %8s %11s %8s\n", "split", "tier", "synset", "images", "boxes", "masks", "doubts", "figure", "size", "quality")
	for _, t := range r.Tallies {
		figure, quality := "-", "-"
		if t.FigureShare.N > 0 {
			figure = fmt.Sprintf("%.1f%%", 100*t.FigureShare.Mean)
		}
		if t.Quality.N > 0 {
			quality = fmt.Sprintf("%.3f", t.Quality.Median)
		}
		size := fmt.Sprintf("%.0f x %.0f", t.Width.Median, t.Height.Median)
		fmt.Fprintf(w, "%-6s %-20s %-10s %8d %8d %8d %8d %8s %11s %8s\n", t.Split, t.Tier, cmp.Or(t.Synset, "all"), t.Images, t.Boxes, t.Masks, t.Doubts, figure, size, quality)
	}
	return nil
}

func (a *app) statsCommand() *cobra.Command {
	bySynset := false
	cmd := &cobra.Command{
		Use: "stats MANIFEST", Short: "Count images, boxes and masks by split and tier", Args: exactArgs("MANIFEST"),
		Long: `stats counts the records of each split and tier, a record under each tier that it has a mask of: images, boxes, masks
and those whose status says why to distrust them; the mean share of figure in the masks, the median size of the
images in pixels, the median quality (predicted IoU) of the masks that have one. --json has the quartiles, too.`,
		Example: `  hdseg stats out/horseseg.yaml --json
  hdseg stats out/horseseg.yaml --synsets`,
		RunE: func(_ *cobra.Command, args []string) error {
			_, m, _, err := manifests.ReadFile(args[0])
			if err != nil {
				return err
			}
			s := newSummary("stats")
			s.Read, s.Done = len(m.Records), len(m.Records)
			return a.report(&statsResult{s, m.Dataset, recordCounts(m), manifests.Tallies(m, bySynset)})
		},
	}
	cmd.Flags().BoolVar(&bySynset, "synsets", false, "also by synset")
	return cmd
}
