package raster

// Gray returns the luma 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601) of every pixel, 0..255, index y*Width+x.
func Gray(m *RGB) []float32 {
	out := make([]float32, m.Width*m.Height)
	GrayTo(out, m.Pix)
	return out
}

// GrayTo does the same for interleaved bytes; 3*len(dst) = len(rgb).
func GrayTo(dst []float32, rgb []uint8) {
	for i := range dst {
		p := rgb[3*i : 3*i+3 : 3*i+3]
		dst[i] = 0.299*float32(p[0]) + 0.587*float32(p[1]) + 0.114*float32(p[2])
	}
}
