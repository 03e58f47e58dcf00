package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Point is a value with its interval; Low = High = the value for none.
type Point struct{ X, Y, Low, High float64 }

// A Series is the points of one name in a plot.
type Series struct {
	Name   string
	Points []Point
	Hollow bool // rings in place of disks
	Color  int  // which of the palette
}

// palette are colors of one lightness that color-blind people tell apart, on white and on black
// (after Okabe and Ito, "Color Universal Design", 2008).
var palette = []color.RGBA{{0x1f, 0x86, 0xd0, 255}, {0xd8, 0x66, 0x1c, 255}, {0x0c, 0x9f, 0x78, 255}, {0xb8, 0x6a, 0x9e, 255},
	{0x99, 0x88, 0x22, 255}}

func (s Series) color() color.RGBA { return palette[s.Color%len(palette)] }

// Key is the series' sign in the legend.
func (s Series) Key() template.HTML {
	sign := "●"
	if s.Hollow {
		sign = "○"
	}
	c := s.color()
	return template.HTML(fmt.Sprintf(`<span style="color:#%02x%02x%02x">%s</span>`, c.R, c.G, c.B, sign))
}

// A Plot is a figure of the page: Curves or Dots drawn, and its legend.
type Plot struct {
	Title  string
	SVG    template.HTML
	Legend []Series
}

// Size of a plot: it fits a telephone's page without being shrunk much.
const plotWidth = 330 * vg.Length(1)

// dotRow is the least height of one label of Dots, and dotLine that of each of its series.
const (
	dotRow  = 34
	dotLine = 9
)

// Dots draws values with their intervals as a dot plot: one row per label, from the top. In a point
// Y is the number of the label, and X, Low and High are the value. Series without points are left
// out; the plot is nil if there are no others.
func Dots(title, axis string, labels []string, all []Series) *Plot {
	series := slices.DeleteFunc(slices.Clone(all), func(s Series) bool { return len(s.Points) == 0 })
	if len(series) == 0 {
		return nil
	}
	p := newPlot(axis, "")
	for i, s := range series {
		shift := 0.64 * (float64(float64(len(series)-1)/2) - float64(i)) / float64(len(series))
		xy := make(plotter.XYs, len(s.Points))
		bars := make(plotter.XErrors, len(s.Points))
		for j, pt := range s.Points {
			xy[j].X, xy[j].Y = pt.X, float64(len(labels)-1)-pt.Y+shift
			bars[j].Low, bars[j].High = pt.Low-pt.X, pt.High-pt.X
		}
		e, err := plotter.NewXErrorBars(struct {
			plotter.XYs
			plotter.XErrors
		}{xy, bars})
		if err != nil {
			continue // a value that is no number
		}
		e.Color, e.Width = s.color(), 1.2
		p.Add(e, s.scatter(xy))
	}
	const room = "\u00a0\u00a0\u00a0"
	ticks := make(plot.ConstantTicks, len(labels))
	for i, l := range labels {
		ticks[i] = plot.Tick{Value: float64(len(labels) - 1 - i), Label: strings.ReplaceAll(l, "\n", room+"\n") +
			room} // the page's font may be wider than the plot's
	}
	p.Y.Tick.Marker, p.Y.Tick.Length = ticks, 0
	margin := float64(0.02 * (p.X.Max - p.X.Min))
	p.X.Min, p.X.Max = p.X.Min-margin, p.X.Max+margin
	p.Y.Min, p.Y.Max = -0.6, float64(len(labels))-0.4
	row := max(dotRow, dotLine*len(series))
	return &Plot{title, render(p, title, vg.Length(row*len(labels)+46)), series}
}

// Curves draws lines through points with vertical intervals, over a logarithmic axis.
func Curves(title, x, y string, series []Series) *Plot {
	p := newPlot(x, y)
	low, high := math.Inf(1), 0.0
	for i, s := range series {
		xy := make(plotter.XYs, len(s.Points))
		bars := make(plotter.YErrors, len(s.Points))
		for j, pt := range s.Points {
			// beside each other
			xy[j].X, xy[j].Y = pt.X*math.Pow(1.03, float64(i)-float64(float64(len(series)-1)/2)), pt.Y
			bars[j].Low, bars[j].High = pt.Low-pt.Y, pt.High-pt.Y
			low, high = min(low, pt.X), max(high, pt.X)
		}
		e, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{xy, bars})
		if err != nil {
			continue
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			continue
		}
		e.Color, line.Color, line.Width = s.color(), s.color(), 1.4
		p.Add(line, e, s.scatter(xy))
	}
	room := float64(0.02 * (p.Y.Max - p.Y.Min))
	p.Y.Min, p.Y.Max = p.Y.Min-room, p.Y.Max+room
	if low <= high {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(powers(low, high))
		p.X.Min, p.X.Max = low/1.15, high*1.15
	}
	return &Plot{title, render(p, title, 240), series}
}

// powers returns ticks at the powers of two from low to high.
func powers(low, high float64) []plot.Tick {
	var out []plot.Tick
	for v := 1.0; v <= high*1.15; v *= 2 {
		if v >= low/1.15 {
			out = append(out, plot.Tick{Value: v, Label: fmt.Sprint(int(v))})
		}
	}
	return out
}

func (s Series) scatter(xy plotter.XYs) *plotter.Scatter {
	sc := &plotter.Scatter{XYs: xy, GlyphStyle: draw.GlyphStyle{Color: s.color(), Radius: 3, Shape: draw.CircleGlyph{}}}
	if s.Hollow {
		sc.GlyphStyle.Shape = draw.RingGlyph{}
	}
	return sc
}

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the page's
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, s := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font.Variant, s.Font.Size = "Sans", 11
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color = color.Gray{128}
	grid.Horizontal.Width, grid.Vertical.Width = 0.3, 0.3
	grid.Vertical.Color = color.Gray{128}
	p.Add(grid)
	return p
}

// render returns a plot as SVG for a page: without a prolog, with its title for those who cannot
// see it, in the page's font, and in its color where the plot is black.
func render(p *plot.Plot, title string, height vg.Length) template.HTML {
	c := vgsvg.NewWith(vgsvg.UseWH(plotWidth, height))
	p.Draw(draw.Crop(draw.New(c), 0, -14, 0, -4)) // room for half a label at the ends of the axes
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic("report: writing into memory: " + err.Error())
	}
	s := b.String()
	s = s[strings.Index(s, "<svg"):]
	s = strings.ReplaceAll(s, "font-family:Liberation Sans", "font-family:inherit")
	s = strings.ReplaceAll(s, "stroke:#000000", "stroke:currentColor")
	return template.HTML(strings.Replace(s, "<svg", `<svg role="img" aria-label="`+template.HTMLEscapeString(title)+`" `+
		`fill="currentColor"`, 1))
}
