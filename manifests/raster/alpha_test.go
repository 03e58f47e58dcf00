package raster

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// gifColors are the colours of the numbers 0 to 3 in transparentGIF's own palette; its other one has them backwards.
var gifColors = color.Palette{color.RGBA{10, 20, 30, 255}, color.RGBA{40, 50, 60, 255}, color.RGBA{70, 80, 90, 255}, color.RGBA{200, 150, 100, 255}}

// gifNumber is the number of pixel (x, y) of the stored rows of its frame.
func gifNumber(x, y int) uint8 { return uint8((x + 2*y) % 4) }

// transparentGIF is a GIF in which number 3 is transparent and has a colour all the same, which Go's encoder does not write: the fields are changed
// behind it.
func transparentGIF(t testing.TB, frame image.Rectangle, screen image.Point, local, interlaced bool) []byte {
	t.Helper()
	backwards := slices.Clone(gifColors)
	slices.Reverse(backwards)
	img := image.NewPaletted(frame, gifColors)
	for y := range frame.Dy() {
		for x := range frame.Dx() {
			img.Pix[y*img.Stride+x] = gifNumber(x, y)
		}
	}
	global := gifColors
	if local {
		global = backwards
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{img}, Delay: []int{1}, Config: image.Config{ColorModel: global, Width: screen.X, Height: screen.Y}}); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	at := bytes.Index(data, []byte("\x21\xf9\x04"))
	data[at+3] |= 1
	data[at+6] = 3
	if got := data[at+8+9]&0x80 != 0; data[at+8] != 0x2c || got != local {
		t.Fatalf("the frame's descriptor is not where it should be, or has a local palette: %v, want %v", got, local)
	}
	if interlaced {
		data[at+8+9] |= 0x40
	}
	return data
}

// The transparent number of a GIF keeps the colour that the palette has for it, and the picture is noted; what a partial frame leaves free has
// that colour, too. So the same picture has the same pixels as a PNG.
func TestGIFTransparent(t *testing.T) {
	whole, part, screen := image.Rect(0, 0, 5, 9), image.Rect(1, 2, 4, 8), image.Pt(5, 9)
	// Stored rows of 9: every eighth from 0, every eighth from 4, every fourth from 2, every second from 1 (GIF89a, appendix E). Of 6: 0; 4; 2; 1, 3, 5.
	rows := map[int][]int{9: {0, 8, 4, 2, 6, 1, 3, 5, 7}, 6: {0, 4, 2, 1, 3, 5}}
	for _, frame := range []image.Rectangle{whole, part} {
		for _, local := range []bool{false, true} {
			for _, interlaced := range []bool{false, true} {
				m, info, err := Decode(transparentGIF(t, frame, screen, local, interlaced), DefaultLimits())
				if err != nil {
					t.Fatal(err)
				}
				want := []string{"alpha"}
				if frame == part {
					want = []string{"alpha", "partial_frame"}
				}
				if !slices.Equal(info.Notes, want) {
					t.Errorf("%v, local %v, interlaced %v: got notes %v, want %v", frame, local, interlaced, info.Notes, want)
				}
				ref := NewRGB(screen.X, screen.Y)
				for i := range screen.X * screen.Y {
					ref.Set(i%screen.X, i/screen.X, 200, 150, 100)
				}
				for stored := range frame.Dy() {
					y := stored
					if interlaced {
						y = rows[frame.Dy()][stored]
					}
					for x := range frame.Dx() {
						c := gifColors[gifNumber(x, stored)].(color.RGBA)
						ref.Set(frame.Min.X+x, frame.Min.Y+y, c.R, c.G, c.B)
					}
				}
				if !bytes.Equal(m.Pix, ref.Pix) {
					t.Errorf("%v, local %v, interlaced %v: got %v, want %v", frame, local, interlaced, m.Pix, ref.Pix)
				}
			}
		}
	}
	// Announced, but no pixel has it: nothing is dropped, nothing noted.
	img := image.NewPaletted(image.Rect(0, 0, 2, 2), gifColors)
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{img}, Delay: []int{1}}); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	at := bytes.Index(data, []byte("\x21\xf9\x04"))
	data[at+3], data[at+6] = data[at+3]|1, 3
	if got, info := decode1(t, data); got != [3]uint8{10, 20, 30} || len(info.Notes) != 0 {
		t.Errorf("unused: got %v %v", got, info.Notes)
	}
	// A transparent number beyond the palette: nothing to restore (golang.org/issue/15059).
	data[at+6] = 200
	if got, info := decode1(t, data); got != [3]uint8{10, 20, 30} || len(info.Notes) != 0 {
		t.Errorf("beyond the palette: got %v %v", got, info.Notes)
	}
	// A partial frame without a transparent number leaves the colour of number 0.
	img = image.NewPaletted(image.Rect(1, 1, 2, 2), gifColors)
	img.Pix[0] = 2
	b.Reset()
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{img}, Delay: []int{0}, Config: image.Config{Width: 2, Height: 2}}); err != nil {
		t.Fatal(err)
	}
	m, info, err := Decode(b.Bytes(), DefaultLimits())
	if want := []uint8{10, 20, 30, 10, 20, 30, 10, 20, 30, 70, 80, 90}; err != nil || !bytes.Equal(m.Pix, want) || !slices.Equal(info.Notes, []string{"partial_frame"}) {
		t.Errorf("partial: got %v %v %v, want %v", m, info.Notes, err, want)
	}
}

// clearWebP is a lossless WebP of 3 x 2 pixels (R 10, G 20, B 30, alpha 0). Its five codes have one symbol each, so that pixels take no bits
// (RFC 9649, 3.4 and 3.7): signature 0x2f; from the lowest bit on 14 bits width-1, 14 height-1, 1 alpha, 3 version; 0 no transform, 0 no
// color cache, 0 no more than one group; then for each of green, red, blue, alpha: 1 simple, 0 one symbol, 1 of eight bits, the symbol; for
// distances 1 simple, 0 one symbol, 0 of one bit, 0.
var clearWebP = func() []byte {
	var bits []byte
	put := func(v uint32, n int) {
		for k := range n {
			bits = append(bits, byte(v>>k&1))
		}
	}
	put(2, 14)
	put(1, 14)
	put(1, 1)
	put(0, 3)
	put(0, 3)
	for _, symbol := range []uint32{20, 10, 30, 0} {
		put(1, 1)
		put(0, 1)
		put(1, 1)
		put(symbol, 8)
	}
	put(1, 1)
	put(0, 3)
	data := []byte{0x2f}
	for i, b := range bits {
		if i%8 == 0 {
			data = append(data, 0)
		}
		data[len(data)-1] |= b << (i % 8)
	}
	if len(data)%2 == 1 {
		data = append(data, 0)
	}
	return slices.Concat([]byte("RIFF"), []byte{byte(12 + len(data)), 0, 0, 0}, []byte("WEBPVP8L"), []byte{byte(len(data)), 0, 0, 0}, data)
}()

func TestWebPAlpha(t *testing.T) {
	if got, info := decode1(t, clearWebP); got != [3]uint8{10, 20, 30} || !slices.Equal(info.Notes, []string{"alpha"}) || info.Width != 3 || info.Height != 2 {
		t.Errorf("lossless: got %v %+v", got, info)
	}
	// Lossy: planes beside alpha. Luma 126 in the middle of 16..235 without chroma is (126-16)*255/219 = 128.08.
	img := image.NewNYCbCrA(image.Rect(0, 0, 3, 2), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = 126
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = 128, 128
	}
	var info Info
	note(img, &info)
	if m := fromWebP(img); !bytes.Equal(m.Pix, bytes.Repeat([]byte{128}, 18)) || !slices.Equal(info.Notes, []string{"alpha"}) {
		t.Errorf("lossy: got %v %v", m.Pix, info.Notes)
	}
}

// alphaScript writes pictures with transparent parts, and beside each the bytes of Pillow's convert("RGB").
const alphaScript = `
import sys, random
from PIL import Image
out = sys.argv[1]
random.seed(1)
rgba = Image.new("RGBA", (37, 23))
rgba.putdata([(x*7 % 256, y*11 % 256, (x*y) % 256, 0 if (x//5+y//4) % 3 == 0 else (128 if x % 2 else 255)) for y in range(23) for x in range(37)])
rgb = rgba.convert("RGB")
p = rgb.quantize(16)
for interlace in (0, 1):
    p.save(f"{out}/transparent{interlace}.gif", transparency=3, interlace=interlace)
    p.save(f"{out}/plain{interlace}.gif", interlace=interlace)
p.save(f"{out}/transparent.png", transparency=3)
p.save(f"{out}/bytes.png", transparency=bytes(range(0, 160, 10)))
p.save(f"{out}/animated.gif", save_all=True, append_images=[p.rotate(180)], transparency=3, duration=100)
Image.new("L", (9, 5), 7).save(f"{out}/gray.gif", transparency=7)
rgb.save(f"{out}/key.png", transparency=rgb.getpixel((3, 3)))
rgb.convert("L").save(f"{out}/graykey.png", transparency=40)
rgba.convert("LA").save(f"{out}/la.png")
rgba.save(f"{out}/rgba.png")
rgba.save(f"{out}/rgba.bmp")
rgba.save(f"{out}/lossy.webp", quality=70)
rgba.save(f"{out}/exact.webp", quality=70, exact=True)
rgba.save(f"{out}/lossless.webp", lossless=True)
rgba.save(f"{out}/losslessexact.webp", lossless=True, exact=True)
p.save(f"{out}/palette.webp", lossless=True)
# Frames that are smaller than their screen, with and without local palette and transparent number.
def gif(name, numbers, w, h, at, screen, control, local):
    palette = bytes(v for i in range(4) for v in (50*i+5, 200-40*i, 17*i+1))
    other = bytes(reversed(palette))
    head = b"GIF89a" + bytes([screen[0], 0, screen[1], 0, 0x81, 1, 0]) + (other if local else palette)
    if control is not None:
        head += b"\x21\xf9\x04\x01\x05\x00" + bytes([control, 0])
    head += b"\x2c" + bytes([at[0], 0, at[1], 0, w, 0, h, 0, 0x81 if local else 0]) + (palette if local else b"")
    bits, n = 0, 0
    for v in numbers: # a clear code before every number: codes stay 3 bits long
        for code in (4, v):
            bits |= code << n
            n += 3
    bits |= 5 << n
    n += 3
    body = bits.to_bytes((n+7)//8, "little")
    open(f"{out}/{name}.gif", "wb").write(head + b"\x02" + bytes([len(body)]) + body + b"\x00\x3b")
for local in (False, True):
    for control in (None, 0, 2, 3, 9):
        gif(f"part-{local}-{control}", [1, 2, 3, 1, 2, 1], 3, 2, (1, 2), (6, 5), control, local)
        gif(f"whole-{local}-{control}", [1, 2, 3, 0, 2, 1], 3, 2, (0, 0), (3, 2), control, local)
import glob
for f in sorted(glob.glob(f"{out}/*.*")):
    open(f + ".rgb", "wb").write(Image.open(f).convert("RGB").tobytes())
`

// Transparent GIF, PNG, BMP and WebP pictures have the very pixels of Pillow's convert("RGB"), and those that Pillow knows as transparent
// are noted.
func TestAlphaAgainstPillow(t *testing.T) {
	python := os.Getenv("HDSEG_PYTHON")
	if python == "" || exec.Command(python, "-c", "import PIL").Run() != nil {
		t.Skip("SKIPPED: HDSEG_PYTHON names no Python with PIL; TestGIFTransparent and TestWebPAlpha have values by hand")
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", alphaScript, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	refs, err := filepath.Glob(filepath.Join(dir, "*.rgb"))
	if err != nil || len(refs) < 35 {
		t.Fatalf("got %d pictures, %v", len(refs), err)
	}
	for _, ref := range refs {
		name := ref[:len(ref)-4]
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(ref)
		if err != nil {
			t.Fatal(err)
		}
		m, info, err := Decode(data, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		if !bytes.Equal(m.Pix, want) {
			t.Errorf("%s: pixels differ: got %v, want %v", filepath.Base(name), m.Pix[:min(60, len(m.Pix))], want[:min(60, len(want))])
		}
		// Frames of whole-...-9 have no pixel of number 9; Pillow writes no alpha into a BMP.
		opaque := regexp.MustCompile(`^(plain.*|.*None\.gif|whole-.*-9\.gif|palette\.webp|rgba\.bmp)$`).MatchString(filepath.Base(name))
		if slices.Contains(info.Notes, "alpha") == opaque {
			t.Errorf("%s: got notes %v", filepath.Base(name), info.Notes)
		}
	}
}
