package raster

import (
	"bytes"
	"image"
	"image/color"
)

// fromGIF puts the first frame on its screen in the colors of its palette, the transparent number
// too. What the frame leaves free has the transparent number's color, or number 0's where there is
// none. This is Pillow's convert("RGB").
func fromGIF(data []byte, frame *image.Paletted, width, height int, info *Info) *RGB {
	b := frame.Bounds()
	partial := b != image.Rect(0, 0, width, height)
	free, stored, transparent := gifTransparent(data)
	if transparent {
		// image/gif made it black, in a palette that is this frame's alone
		frame.Palette[free] = stored
		if partial || bytes.IndexByte(frame.Pix, free) >= 0 {
			info.Notes = append(info.Notes, "alpha")
		}
	}
	if !partial {
		return FromImage(frame)
	}
	info.Notes = append(info.Notes, "partial_frame")
	screen := image.NewPaletted(image.Rect(0, 0, width, height), frame.Palette)
	for i := range screen.Pix {
		screen.Pix[i] = free
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		copy(screen.Pix[screen.PixOffset(b.Min.X, y):], frame.Pix[frame.PixOffset(b.Min.X, y):][:b.Dx()])
	}
	return FromImage(screen)
}

// gifTransparent returns the number that the first frame makes transparent and the colour that its
// palette has for it, black for a number beyond the palette; ok is false when there is none
// (GIF89a, 18 to 23). The file is one that image/gif has decoded.
func gifTransparent(data []byte) (number uint8, c color.RGBA, ok bool) {
	const screen, descriptor = 13, 10 // bytes of signature and screen, and of a frame's descriptor
	table, size := screen, colorTable(data[10])
	i := screen + size
	for data[i] == 0x21 { // extensions
		// graphic control: length, flags, delay (2 bytes), number
		if data[i+1] == 0xf9 && data[i+3]&1 != 0 {
			number, ok = data[i+6], true
		}
		for i += 2; data[i] != 0; { // sub-blocks
			i += 1 + int(data[i])
		}
		i++
	}
	if local := colorTable(data[i+9]); local > 0 {
		table, size = i+descriptor, local
	}
	c.A = 255
	if at := 3 * int(number); ok && at < size {
		c.R, c.G, c.B = data[table+at], data[table+at+1], data[table+at+2]
	}
	return number, c, ok
}

// colorTable is how many bytes the color table takes that the flags of a screen or frame announce.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}
