package raster

import "fmt"

// Orient returns the upright picture of one stored with the given EXIF orientation, 1..8 (Exif 2.3,
// table of tag 0x0112). For 1 it returns m itself; 5 to 8 exchange width and height.
func Orient(m *RGB, tag int) *RGB {
	if tag == 1 {
		return m
	}
	out := &RGB{Pix: oriented(m.Pix, 3, m.Width, m.Height, tag)}
	out.Width, out.Height = orientedSize(m.Width, m.Height, tag)
	return out
}

// OrientMask does for a mask what Orient does for its image.
func OrientMask(m *Mask, tag int) *Mask {
	if tag == 1 {
		return m
	}
	out := &Mask{Pix: OrientPix(m.Pix, m.Width, m.Height, tag)}
	out.Width, out.Height = orientedSize(m.Width, m.Height, tag)
	return out
}

// OrientPix is Orient for pixels with one value each, index y*width+x.
func OrientPix[T any](pix []T, width, height, tag int) []T {
	return oriented(pix, 1, width, height, tag)
}

// oriented is Orient for pixels with n values each.
func oriented[T any](pix []T, n, width, height, tag int) []T {
	w, h := orientedSize(width, height, tag)
	out := make([]T, 0, n*w*h)
	origin, dx, dy := orientSteps(width, height, tag)
	for y := range h {
		i := n * (origin + y*dy)
		for range w {
			out = append(out, pix[i:i+n]...)
			i += n * dx
		}
	}
	return out
}

// StoredAt returns where pixel (x, y) of the upright picture lies in a stored one of width x
// height.
func StoredAt(width, height, tag, x, y int) (int, int) {
	origin, dx, dy := orientSteps(width, height, tag)
	i := origin + x*dx + y*dy
	return i % width, i / width
}

func orientedSize(width, height, tag int) (w, h int) {
	if tag >= 5 {
		return height, width
	}
	return width, height
}

// orientSteps gives the stored index origin + x*dx + y*dy of the upright pixel (x, y).
func orientSteps(w, h, tag int) (origin, dx, dy int) {
	switch tag {
	case 1:
		return 0, 1, w
	case 2: // mirrored left to right
		return w - 1, -1, w
	case 3: // turned by 180 degrees
		return w*h - 1, -1, -w
	case 4: // mirrored top to bottom
		return w * (h - 1), 1, -w
	case 5: // transposed
		return 0, w, 1
	case 6: // stored turned left: upright is the stored picture turned right by 90 degrees
		return w * (h - 1), -w, 1
	case 7: // transposed over the other diagonal
		return w*h - 1, -w, -1
	case 8: // stored turned right
		return w - 1, w, -1
	}
	panic(fmt.Sprintf("raster: orientation %d, want 1..8", tag))
}
