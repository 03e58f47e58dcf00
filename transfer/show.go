package transfer

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A contact sheet has rows of sheetColumns cells under a line that says which they are; a cell is a
// picture in a square of sheetCell pixels over two lines of text.
const (
	sheetColumns = 8
	sheetCell    = 184 // of 26 characters
	sheetLine    = raster.LineHeight
	sheetRow     = sheetCell + 3*sheetLine
)

// ContactSheet returns a PNG of the compared masks of highest, median and lowest true IoU, a row of
// each per tier: the figure in its colours, the ground dimmed, and the mask's border in red, over
// the record's id, tier, true and predicted IoU.
func (rep *Report) ContactSheet(m *manifests.Manifest, store *manifests.Store) ([]byte, error) {
	sheet := raster.NewRGB(sheetColumns*sheetCell, 3*sheetRow*max(len(rep.Rows), 1))
	for t, row := range rep.Rows {
		var scores []Score
		for _, s := range rep.Scores {
			if s.Tier == row.Tier {
				scores = append(scores, s)
			}
		}
		scores = falling(scores, actual)
		n := min(sheetColumns, len(scores))
		for k, from := range []int{0, (len(scores) - n) / 2, len(scores) - n} {
			top := (3*t + k) * sheetRow
			raster.Write(sheet, 2, top, fmt.Sprintf("%s, tier %s: %s true IoU of %d masks", row.Class, row.Tier,
				[]string{"highest", "median", "lowest"}[k], len(scores)))
			for i, s := range scores[from : from+n] {
				left, r := i*sheetCell, &m.Records[s.index]
				if err := drawCell(sheet, left, top+sheetLine, r, s.Tier, store); err != nil {
					return nil, err
				}
				raster.Write(sheet, left, top+sheetLine+sheetCell, raster.Shorten(s.Record, sheetCell))
				raster.Write(sheet, left, top+2*sheetLine+sheetCell, caption(&s))
			}
		}
	}
	return raster.EncodePNG(sheet), nil
}

// caption says what is known of a mask, in the width of a cell.
func caption(s *Score) string {
	if s.Quality == 0 {
		return fmt.Sprintf("%s %.2f", s.Tier, s.IoU)
	}
	return fmt.Sprintf("%s %.2f, predicted %.2f", s.Tier, s.IoU, s.Quality)
}

// drawCell draws one record at (left, top).
func drawCell(sheet *raster.RGB, left, top int, r *manifests.Record, tier manifests.Tier, store *manifests.Store) error {
	im, err := loadImage(store, r)
	if err != nil {
		return err
	}
	ref, _ := r.MaskOf(tier)
	mask, err := loadMask(store, r, ref)
	if err != nil {
		return err
	}
	long := max(im.Width, im.Height)
	w, h := max(1, im.Width*(sheetCell-4)/long), max(1, im.Height*(sheetCell-4)/long)
	im, mask = raster.Resize(im, w, h), raster.ResizeNearest(mask, w, h)
	figure := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < w && y < h && mask.At(x, y) == raster.Figure
	}
	for y := range h {
		for x := range w {
			cr, cg, cb := im.At(x, y)
			switch {
			case !figure(x, y):
				cr, cg, cb = cr/3, cg/3, cb/3
			case !figure(x-1, y) || !figure(x+1, y) || !figure(x, y-1) || !figure(x, y+1):
				cr, cg, cb = 255, 40, 40
			}
			sheet.Set(left+x, top+y, cr, cg, cb)
		}
	}
	return nil
}

// Calibration returns an SVG plot of the true IoU of every compared mask over the predicted one, a
// series per tier; on the diagonal prediction and truth agree.
func (rep *Report) Calibration() ([]byte, error) {
	p := plot.New()
	p.Title.Text = "Predicted and true IoU of transferred masks"
	p.X.Label.Text, p.Y.Label.Text = "predicted IoU", "true IoU"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	legend := plot.NewLegend()
	legend.Left, legend.TextStyle.Font.Size = true, vg.Points(10)
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return nil, fmt.Errorf("transfer: plot: %w", err)
	}
	diagonal.Color = color.Gray{160}
	p.Add(diagonal)
	for i, row := range rep.Rows {
		var points plotter.XYs
		for _, s := range rep.Scores {
			if s.Tier == row.Tier {
				points = append(points, plotter.XY{X: s.Quality, Y: s.IoU})
			}
		}
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return nil, fmt.Errorf("transfer: plot: %w", err)
		}
		dots.Radius = vg.Points(2)
		dots.Color = []color.Color{color.RGBA{31, 119, 180, 255}, color.RGBA{214, 90, 30, 255}}[i]
		dots.Shape = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.CrossGlyph{}}[i]
		p.Add(dots)
		legend.Add(fmt.Sprintf("%s: rank correlation %s, mean predicted IoU %s, true IoU %s", row.Tier, row.Rank.Format(2),
			row.Predicted.Format(2), row.Actual.Format(2)), dots)
	}
	c := vgsvg.New(14*vg.Centimeter, 15.5*vg.Centimeter)
	margin := 4 * vg.Millimeter // the last tick's label reaches beyond its axis
	below := 15 * vg.Millimeter // where the legend is, as there are dots anywhere between the axes
	p.Draw(draw.Crop(draw.New(c), margin, -margin, margin+below, -margin))
	legend.Draw(draw.Crop(draw.New(c), margin, -margin, margin, 0))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("transfer: plot: %w", err)
	}
	return b.Bytes(), nil
}
