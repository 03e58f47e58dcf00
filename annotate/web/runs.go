package web

import (
	"fmt"

	"hdseg/manifests/raster"
)

// Runs are a mask as the page and the server exchange it: row by row, the label and the length of
// every run, so runs[2*i] is 0, 1 or 255 and runs[2*i+1] at least 1. The lengths add up to
// Width*Height.
type Runs struct {
	Width  int   `json:"width"`
	Height int   `json:"height"`
	Runs   []int `json:"runs"`
}

// RunsOf encodes a mask.
func RunsOf(m *raster.Mask) Runs {
	r := Runs{Width: m.Width, Height: m.Height, Runs: []int{}}
	for i := 0; i < len(m.Pix); {
		j := i + 1
		for j < len(m.Pix) && m.Pix[j] == m.Pix[i] {
			j++
		}
		r.Runs = append(r.Runs, int(m.Pix[i]), j-i)
		i = j
	}
	return r
}

// Mask decodes runs of a known size. Nothing is allocated for runs that do not fit it, whatever
// they claim.
func (r Runs) Mask(width, height int) (*raster.Mask, error) {
	if r.Width != width || r.Height != height {
		return nil, fmt.Errorf("mask: got %d x %d pixels, want the picture's %d x %d", r.Width, r.Height, width, height)
	}
	if len(r.Runs)%2 != 0 {
		return nil, fmt.Errorf("mask: got %d numbers, want pairs of label and length", len(r.Runs))
	}
	left := width * height
	for i := 0; i < len(r.Runs); i += 2 {
		v, n := r.Runs[i], r.Runs[i+1]
		if v != int(raster.Ground) && v != int(raster.Figure) && v != int(raster.Void) {
			return nil, fmt.Errorf("mask: run %d: got label %d, want 0, 1 or 255", i/2, v)
		}
		if n < 1 || n > left {
			return nil, fmt.Errorf("mask: run %d: got %d pixels, want 1 to the %d that are left", i/2, n, left)
		}
		left -= n
	}
	if left != 0 {
		return nil, fmt.Errorf("mask: the runs end %d pixels early", left)
	}
	m := raster.NewMask(width, height)
	at := 0
	for i := 0; i < len(r.Runs); i += 2 {
		run := m.Pix[at : at+r.Runs[i+1]]
		for k := range run {
			run[k] = uint8(r.Runs[i])
		}
		at += len(run)
	}
	return m, nil
}
