package report

import (
	"fmt"
	"io"

	"hdseg/lscrf"
)

// stanfordImages and stanfordLabels tell the data set of the paper's Table 1 from others in its layout.
const (
	stanfordImages = 715
	stanfordLabels = 8
)

// table1 is the paper's Table 1: pixel accuracy in %, unary and pairwise, with standard deviations over five
// splits.
var table1 = map[string][2]string{
	lscrf.Linear:           {"70.3 (1.0)", "73.4 (1.1)"},
	lscrf.Trees:            {"70.9 (1.1)", "73.3 (1.1)"},
	lscrf.Logistic:         {"70.4 (0.8)", "-"},
	lscrf.Pseudolikelihood: {"-", "71.0 (1.1)"},
	lscrf.Piecewise:        {"-", "72.9 (0.9)"},
}

// Scenes prints a cross-validation on scenes in the layout of the paper's Table 1: a row per model, pixel accuracy in percent
// with the standard deviation over folds, unary and pairwise, and per-class accuracy beside it. The paper's
// own figures are printed only where the data are those of the paper. The folds follow, with what was chosen in them, and the
// differences.
func Scenes(w io.Writer, labels []string, b *lscrf.Bench, differences []SceneDifference) error {
	p := &printer{w: w}
	same := b.Oracle.TestImages == stanfordImages && len(labels) == stanfordLabels
	p.printf("Pixel accuracy in %% (standard deviation over folds; per-class accuracy), %d images, %d labels\n", b.Oracle.TestImages, len(labels))
	if !same {
		p.printf("The paper's figures are of other data, %d pictures and %d labels, and do not stand here.\n", stanfordImages, stanfordLabels)
	}
	if same {
		p.printf("The paper's splits are not known, so ours differ from them.\n")
	}
	p.printf("%-18s  %-20s  %-20s", "", "unary", "pairwise")
	if same {
		p.printf("  %-24s", "the paper's")
	}
	p.printf("\n")
	for _, model := range distinct([][]lscrf.Row{b.Rows}, func(r lscrf.Row) string { return r.Model }) {
		p.printf("%-18s", model)
		for _, terms := range []string{lscrf.Unary, lscrf.Pairwise} {
			p.printf("  %-20s", pixelCell(b.Rows, model, terms))
		}
		if same {
			p.printf("  %-10s / %s", table1[model][0], table1[model][1])
		}
		p.printf("\n")
	}
	p.printf("every superpixel with its true majority label: %s, the best that superpixels allow (per class %s%s)\n", b.Oracle.Pixel.Format(1), b.Oracle.PerClassPooled.Format(1), allowed(b))
	p.folds(b.Rows, differences)
	return p.err
}

// allowed says which accuracy per class the superpixels allow, by another labeling than the majority's.
func allowed(b *lscrf.Bench) string {
	if b.Best == nil {
		return ""
	}
	return "; " + b.Best.PerClass.Format(1) + " with the labels that are best per class"
}

func pixelCell(rows []lscrf.Row, model, terms string) string {
	for _, r := range rows {
		if r.Model == model && r.Terms == terms {
			return fmt.Sprintf("%s (%s; %s)", r.Pixel.Format(1), r.PixelSD.Format(1), r.PerClassPooled.Format(1))
		}
	}
	return "-"
}
