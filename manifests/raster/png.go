package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/png"
)

// EncodePNG returns the picture as an 8-bit RGB PNG file. Equal pictures give equal bytes for one
// Go version.
func EncodePNG(m *RGB) []byte {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, m.Image()); err != nil {
		panic("raster: png to memory: " + err.Error())
	}
	return buf.Bytes()
}

// PNG returns any image as a PNG file of Go's usual compression.
func PNG(img image.Image) []byte {
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic("raster: png to memory: " + err.Error())
	}
	return buf.Bytes()
}

// Image returns an opaque copy of the picture for the libraries that work on the standard
// interfaces.
func (m *RGB) Image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	for i, o := 0, 0; i < len(m.Pix); i, o = i+3, o+4 {
		p := img.Pix[o : o+4 : o+4]
		p[0], p[1], p[2], p[3] = m.Pix[i], m.Pix[i+1], m.Pix[i+2], 255
	}
	return img
}

// EncodeMaskPNG returns the canonical file of a mask: an 8-bit greyscale PNG whose sample values
// are the labels 0, 1 and 255, every row filtered with Up, deflated by maskDeflate. Equal masks
// give equal bytes with any version of anything. It panics if the mask holds another value. Cost:
// about 0.2 ms for 500 x 375.
func EncodeMaskPNG(m *Mask) []byte {
	raw := make([]byte, 0, (m.Width+1)*m.Height)
	up := make([]byte, m.Width)
	for y := range m.Height {
		row := m.Pix[y*m.Width:][:m.Width]
		raw = append(raw, 2)
		at := len(raw)
		raw = raw[:at+m.Width]
		out := raw[at:]
		for x, v := range row {
			if v > Figure && v != Void {
				panic(fmt.Sprintf("raster: mask value %d at (%d, %d), want 0, 1 or 255", v, x, y))
			}
			out[x] = v - up[x]
		}
		up = row
	}
	// zlib header: deflate, 32K window, no dictionary
	idat := append(make([]byte, 0, 4096), 0x78, 0x01)
	idat = maskDeflate(idat, raw)
	idat = binary.BigEndian.AppendUint32(idat, adler32.Checksum(raw))

	ihdr := binary.BigEndian.AppendUint32(nil, uint32(m.Width))
	ihdr = binary.BigEndian.AppendUint32(ihdr, uint32(m.Height))
	// 8 bits, greyscale, deflate, adaptive filters, not interlaced
	ihdr = append(ihdr, 8, 0, 0, 0, 0)

	out := append(make([]byte, 0, len(idat)+57), pngSignature...)
	out = appendChunk(out, "IHDR", ihdr)
	out = appendChunk(out, "IDAT", idat)
	return appendChunk(out, "IEND", nil)
}

func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	at := len(out)
	out = append(out, kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
}

// DecodeMask reads a mask that EncodeMaskPNG, or anyone else with 8-bit greyscale PNG, wrote. Any
// value but 0, 1 and 255 is an error: foreign masks go through manifests/format, where their rule
// is stated. The default limits hold.
func DecodeMask(data []byte) (*Mask, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	if err := DefaultLimits().check(c.Width, c.Height); err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	g, ok := img.(*image.Gray)
	if !ok {
		return nil, fmt.Errorf("mask: pixel type: got %T, want 8-bit greyscale", img)
	}
	m := &Mask{Pix: g.Pix, Width: g.Rect.Dx(), Height: g.Rect.Dy()}
	for i, v := range m.Pix {
		if v > Figure && v != Void {
			return nil, fmt.Errorf("mask: value at (%d, %d): got %d, want 0, 1 or 255", i%m.Width, i/m.Width, v)
		}
	}
	return m, nil
}
