package ingest

import (
	"errors"
	"fmt"
	"slices"

	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// Notes of records whose picture an EXIF tag turns: what their masks were taken to follow, and
// whether that could not be known.
const (
	followsStored  = "mask_follows_stored"
	followsUpright = "mask_follows_upright"
	assumedStored  = "mask_orientation_assumed"
)

// fit brings a mask upright like its picture and returns what is to be noted. Its size tells
// whether it was drawn on the stored or the upright picture, for one that is to be scaled its
// shape; where neither does, the setting. Masks of another source always follow stored pixels.
func (l *layer) fit(info *raster.Info, tag int, opts *Options) (notes []string, err error) {
	w, h := info.Width, info.Height
	uw, uh := w, h
	if tag >= 5 {
		uw, uh = h, w
	}
	m := l.mask
	stored, upright := m.Width == w && m.Height == h, m.Width == uw && m.Height == uh
	resize := !stored && !upright
	scaled := format.SameShape(m.Width, m.Height, w, h) || format.SameShape(m.Width, m.Height, uw, uh)
	if resize && (opts.ResizeMasks != ResizeNearest || !scaled) {
		return nil, l.wrongSize(info, tag, scaled)
	}
	if resize {
		a, b := skew(m, w, h), skew(m, uw, uh)
		stored, upright = a <= b, b <= a
		notes = append(notes, "mask_resized")
	}
	unknown := stored && upright && tag != 1
	turn := stored && !(unknown && !l.extra && opts.MaskOrientation == OrientationUpright)
	for _, m := range []**raster.Mask{&l.mask, &l.persons} {
		switch {
		case *m == nil:
			continue
		case resize && turn:
			*m = raster.ResizeNearest(*m, w, h)
		case resize:
			*m = raster.ResizeNearest(*m, uw, uh)
		}
		if turn {
			*m = raster.OrientMask(*m, tag)
		}
	}
	switch {
	case tag == 1:
	case turn:
		notes = append(notes, followsStored)
	default:
		notes = append(notes, followsUpright)
	}
	if unknown && !l.extra && opts.MaskOrientation == OrientationAuto {
		notes = append(notes, assumedStored)
	}
	return notes, nil
}

// skew is how far a mask's shape is from that of w x h pixels: 0 for the same.
func skew(m *raster.Mask, w, h int) int {
	d := m.Width*h - m.Height*w
	return max(d, -d)
}

// wrongSize says what size a mask has and should have, and the remedy; scaled: only its scale
// differs.
func (l *layer) wrongSize(info *raster.Info, tag int, scaled bool) error {
	want := fmt.Sprintf("the picture's %d x %d", info.Width, info.Height)
	if tag >= 5 {
		want = fmt.Sprintf("the picture's %d x %d as stored, or %d x %d upright", info.Width, info.Height, info.Height, info.Width)
	}
	remedy := "the shape differs too, so scaling does not help: is the mask cut short, or of another picture?"
	switch {
	case scaled:
		remedy = "--set ingest.resizeMasks=nearest scales it"
	case tag >= 5:
	case info.Orientation >= 5 && l.mask.Width == info.Height && l.mask.Height == info.Width:
		remedy = "it was drawn on the picture as its EXIF tag turns it, which ingest does for plain folders only"
	case format.SameShape(l.mask.Width, l.mask.Height, info.Height, info.Width):
		remedy = "it is turned by a quarter: are its rows written as columns?"
	}
	return fmt.Errorf("%s: size: got %d x %d, want %s; %s", l.origin, l.mask.Width, l.mask.Height, want, remedy)
}

// fitAll brings all masks upright and drops the extra ones that do not fit, each a skip. The error
// is that of a mask which is not extra.
func fitAll(layers []layer, t *task, info *raster.Info, tag int, opts *Options, out *outcome) ([]layer, error) {
	kept := layers[:0]
	for _, l := range layers {
		reason := "mask_size"
		if l.fault == nil {
			var notes []string
			notes, l.fault = l.fit(info, tag, opts)
			for _, n := range notes {
				if !slices.Contains(out.Warnings, n) {
					out.Warnings = append(out.Warnings, n)
				}
			}
		}
		var f *layerFault
		if errors.As(l.fault, &f) {
			reason = f.reason
		}
		switch {
		case l.fault == nil:
			kept = append(kept, l)
			if l.guess.Values != "" {
				out.Guesses = append(out.Guesses, l.guess)
			}
		case !l.extra:
			return nil, l.fault
		default:
			out.skip(t.id, reason, l.fault.Error())
		}
	}
	return kept, nil
}
