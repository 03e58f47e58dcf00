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
)

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
		legend.Add(fmt.Sprintf("%s: rank correlation %s, mean predicted %s, true %s", row.Tier, row.Rank.Format(2),
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
