package feature

// A denseField stores all 8 orientations of a pixel, so that a pixel is one AVX2 vector.
type denseField struct {
	pix  []float32 // rows x cols x 8, and three rows more, which are summed up and thrown away
	cols int       // rounded up to a multiple of 8
	sums []float32
}

func newDenseField(cols, rows int) field {
	cols = (cols + 7) &^ 7
	return &denseField{pix: make([]float32, (rows+3)*cols*8), cols: cols}
}

func (f *denseField) row(y int, up, on, down []float32) {
	dst := f.pix[y*f.cols*8 : (y+1)*f.cols*8]
	_, _, _ = up[f.cols+1], on[f.cols+1], down[f.cols+1]
	orientRowAVX2(&dst[0], &up[0], &on[0], &down[0], f.cols)
}

func (f *denseField) keep(from int) { copy(f.pix, f.pix[from*f.cols*8:]) }

func (f *denseField) describe(hist *[128]float32, x, y int, w *window) {
	side, stride := w.side(), 8*f.cols
	rows := (side + 3) &^ 3
	if len(f.sums) < 32*rows {
		f.sums = make([]float32, 32*rows)
	}
	from := f.pix[y*stride+8*x:]
	_ = from[(rows-1)*stride+8*side-1]
	sumColumnsAVX2(&f.sums[0], &from[0], stride, rows, &w.lo[0], &w.hi[0], &w.run[0])
	sumRowsAVX2(&hist[0], &f.sums[0], &w.lo[0], &w.hi[0], &w.run[0])
}
