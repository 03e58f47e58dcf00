package raster

import "image"

// fromWebP converts a decoded WebP picture: pixels of a lossless one, or the planes of a lossy one,
// which have studio-range BT.601 (luma 16..235), as RFC 9649 and RFC 6386 say, and not JPEG's full
// range. Chroma is interpolated with weights 9, 3, 3 and 1 and everything rounded as libwebp does,
// so that pixels equal those of other readers.
func fromWebP(img image.Image) *RGB {
	var p *image.YCbCr
	switch img := img.(type) {
	case *image.YCbCr:
		p = img
	case *image.NYCbCrA:
		p = &img.YCbCr
	default:
		return FromImage(img)
	}
	m := NewRGB(p.Rect.Dx(), p.Rect.Dy())
	w, n := m.Width, (m.Width+1)/2
	u, v := make([]uint8, w), make([]uint8, w)
	for y := range m.Height {
		// The row of chroma that y lies in weighs three quarters, its neighbor on y's side one
		// quarter.
		c := y / 2 * p.CStride
		other := min(max(y/2-1+2*(y%2), 0), (m.Height-1)/2) * p.CStride
		interpolate(u, p.Cb[c:][:n], p.Cb[other:][:n])
		interpolate(v, p.Cr[c:][:n], p.Cr[other:][:n])
		out := m.Pix[3*y*w:][:3*w]
		for x, l := range p.Y[y*p.YStride:][:w] {
			out[3*x], out[3*x+1], out[3*x+2] = studioRGB(int(l), int(u[x]), int(v[x]))
		}
	}
	return m
}

// interpolate doubles one row of chroma in both directions; other is the row beyond the one that
// the pixels lie in.
func interpolate(out, row, other []uint8) {
	w := len(out)
	l, tl := int(row[0]), int(other[0])
	out[0] = uint8((3*l + tl + 2) >> 2)
	for x := 1; 2*x-1 < w; x++ {
		if x == len(row) { // the right edge of an even width
			out[w-1] = uint8((3*l + tl + 2) >> 2)
			break
		}
		uv, t := int(row[x]), int(other[x])
		avg := tl + t + l + uv + 8
		falling, rising := (avg+2*(tl+uv))>>3, (avg+2*(t+l))>>3
		out[2*x-1] = uint8((falling + l) >> 1)
		if 2*x < w {
			out[2*x] = uint8((rising + uv) >> 1)
		}
		l, tl = uv, t
	}
}

// studioRGB is the studio-range BT.601 inverse in fixed point: 14 bits after the comma, of which
// products keep 6.
func studioRGB(y, u, v int) (r, g, b uint8) {
	part := func(a, f int) int { return a * f >> 8 }
	clip := func(a int) uint8 { return uint8(min(max(a>>6, 0), 255)) }
	luma := part(y, 19077) // 255/219
	return clip(luma + part(v, 26149) - 14234), clip(luma - part(u, 6419) - part(v, 13320) + 8708), clip(luma + part(u, 33050) - 17685)
}
