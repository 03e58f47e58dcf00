package jpeg

// JFIF's inverse colour conversion in libjpeg's fixed point: 16 fractional bits, rounded once a
// channel.
var crToR, cbToB, crToG, cbToG [256]int32

func init() {
	for i := range int32(256) {
		x := i - 128
		crToR[i] = (91881*x + 1<<15) >> 16  // 1.402
		cbToB[i] = (116130*x + 1<<15) >> 16 // 1.772
		crToG[i] = -46802 * x               // 0.714136
		cbToG[i] = -22554*x + 1<<15         // 0.344136
	}
}

// colors assembles the planes, brought to full size, into a picture.
func (d *decoder) colors() []uint8 {
	pix := make([]uint8, 3*d.width*d.height)
	w := d.width
	if len(d.comps) == 1 {
		c := &d.comps[0]
		for y := range d.height {
			row := c.plane[y*8*c.strideX:][:w]
			out := pix[3*y*w:][:3*w]
			for x, v := range row {
				out[3*x], out[3*x+1], out[3*x+2] = v, v, v
			}
		}
		return pix
	}
	rows := make([]*upsampler, len(d.comps))
	for i := range d.comps {
		rows[i] = newUpsampler(&d.comps[i], d.hMax, d.vMax, w)
	}
	convert := d.conversion()
	var in [4][]uint8
	for y := range d.height {
		for i, u := range rows {
			in[i] = u.row(y)[:w] // a row that was widened may be longer
		}
		convert(pix[3*y*w:][:3*w], in[0], in[1], in[2], in[3])
	}
	return pix
}

// conversion tells what the components mean, by the rules of libjpeg (jdapimin.c,
// default_decompress_parms): JFIF and Adobe markers first, then the components' ids.
func (d *decoder) conversion() func(out, c0, c1, c2, c3 []uint8) {
	if len(d.comps) == 4 {
		if d.adobe == 2 {
			return ycckToRGB
		}
		return cmykToRGB
	}
	ids := [3]byte{d.comps[0].id, d.comps[1].id, d.comps[2].id}
	if !d.jfif && (d.adobe == 0 || d.adobe < 0 && ids == [3]byte{'R', 'G', 'B'}) {
		return interleave
	}
	return yccToRGB
}

func interleave(out, r, g, b, _ []uint8) {
	for x, v := range r {
		out[3*x], out[3*x+1], out[3*x+2] = v, g[x], b[x]
	}
}

func yccToRGBGeneric(out, luma, cb, cr []uint8) {
	cb, cr = cb[:len(luma)], cr[:len(luma)]
	for x, l := range luma {
		y, u, v := int32(l), cb[x], cr[x]
		o := out[3*x : 3*x+3 : 3*x+3]
		o[0] = clamp8(y + crToR[v])
		o[1] = clamp8(y + (cbToG[u]+crToG[v])>>16)
		o[2] = clamp8(y + cbToB[u])
	}
}

// cmykToRGB takes Adobe's inverted samples, 255 for no ink. The product of colour and black is
// Pillow's: the ink's share of what black leaves, subtracted.
func cmykToRGB(out, c, m, y, k []uint8) {
	for x := range c {
		white := int32(k[x])
		o := out[3*x : 3*x+3 : 3*x+3]
		o[0] = clamp8(white - mulDiv255(255-int32(c[x]), white))
		o[1] = clamp8(white - mulDiv255(255-int32(m[x]), white))
		o[2] = clamp8(white - mulDiv255(255-int32(y[x]), white))
	}
}

// ycckToRGB undoes the YCbCr form of the three inks, which is that of their complement.
func ycckToRGB(out, luma, cb, cr, k []uint8) {
	yccToRGB(out, luma, cb, cr, nil)
	for x := range luma {
		white := int32(k[x])
		o := out[3*x : 3*x+3 : 3*x+3]
		for i, v := range o {
			o[i] = clamp8(white - mulDiv255(int32(v), white))
		}
	}
}

// mulDiv255 is a*b/255, rounded, for 0..255.
func mulDiv255(a, b int32) int32 {
	t := a*b + 128
	return (t>>8 + t) >> 8
}
