package raster

import (
	"image"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// LineHeight is the height of a line of text of Write, in pixels.
const LineHeight = 15

// Write draws a line of text, white, its upper left corner at (left, top). What is beyond the
// picture's right and lower edge is cut off.
func Write(m *RGB, left, top int, text string) {
	face := basicfont.Face7x13
	line := image.NewGray(image.Rect(0, 0, m.Width-left, LineHeight))
	d := font.Drawer{Dst: line, Src: image.White, Face: face, Dot: fixed.P(1, face.Ascent+1)}
	d.DrawString(text)
	for y := range min(LineHeight, m.Height-top) {
		for x := range line.Rect.Dx() {
			if v := line.GrayAt(x, y).Y; v > 0 {
				m.Set(left+x, top+y, v, v, v)
			}
		}
	}
}

// Shorten returns a text that Write draws in so many pixels, with its middle left out if it is
// longer.
func Shorten(text string, width int) string {
	r, n := []rune(text), width/basicfont.Face7x13.Advance
	if len(r) <= n {
		return text
	}
	return string(r[:n/2]) + ".." + string(r[len(r)-(n-n/2-2):])
}
