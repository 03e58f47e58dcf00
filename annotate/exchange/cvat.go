package exchange

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// maxEntries bounds a zip's list of files.
const maxEntries = 1_000_000

// vocBorder is the color in which VOC's tools draw what is void.
var vocBorder = color.RGBA{224, 224, 192, 255}

// openCVAT reads a zip of CVAT's "Segmentation mask 1.1": SegmentationClass/NAME.png in the colors
// of labelmap.txt. It is read into memory. Names that lead out of the archive, links and repeated
// names are errors; nothing is unpacked to the disk.
func openCVAT(file, class string) ([]Drawn, error) {
	data, err := readLimited(file)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(z.File) > maxEntries {
		return nil, fmt.Errorf("%s: got %d files, want at most %d", file, len(z.File), maxEntries)
	}
	byName := map[string]*zip.File{}
	for _, e := range z.File {
		if strings.HasSuffix(e.Name, "/") {
			continue
		}
		if !filepath.IsLocal(e.Name) || strings.Contains(e.Name, `\`) || path.Clean(e.Name) != e.Name ||
			!e.Mode().IsRegular() || byName[e.Name] != nil {
			return nil, fmt.Errorf("%s: %q: want regular files inside the archive, each once", file, e.Name)
		}
		byName[e.Name] = e
	}
	list := byName["labelmap.txt"]
	if list == nil {
		return nil, fmt.Errorf("%s: there is no labelmap.txt", file)
	}
	text, err := unpack(list, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("%s: labelmap.txt: %w", file, err)
	}
	colors, err := parseLabelmap(text, class)
	if err != nil {
		return nil, fmt.Errorf("%s: labelmap.txt: %w", file, err)
	}
	digest := manifests.Sum(data)
	var out []Drawn
	for _, e := range z.File {
		name, ok := strings.CutPrefix(e.Name, "SegmentationClass/")
		if name, ok = cutBoth(name, ok); !ok {
			continue
		}
		out = append(out, Drawn{Name: name, Mask: func(width, height int) (*raster.Mask, manifests.Digest, error) {
			packed, err := unpack(e, int64(width)*int64(height)*4+1<<20)
			if err != nil {
				return nil, "", err
			}
			m, err := decodeColors(packed, colors, width, height)
			return m, digest, err
		}})
	}
	return out, nil
}

func cutBoth(name string, ok bool) (string, bool) {
	base, png := strings.CutSuffix(name, ".png")
	return base, ok && png
}

// unpack reads an entry of at most so many bytes, whatever the archive says of its size.
func unpack(e *zip.File, most int64) ([]byte, error) {
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: got more than %d bytes, want a mask", e.Name, most)
	}
	return data, err
}

// parseLabelmap reads lines "label:r,g,b:parts:actions": the value of each color. A label that is
// neither the class, background nor void has no value: a file that uses its color is refused.
func parseLabelmap(text []byte, class string) (map[color.RGBA]int, error) {
	text, _, err := format.FromUTF16(text)
	if err != nil {
		return nil, err
	}
	colors := map[color.RGBA]int{vocBorder: int(raster.Void)}
	background := 0
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, ":")
		var c color.RGBA
		c.A = 255
		if len(f) < 2 {
			return nil, fmt.Errorf("line %q: want label:r,g,b:parts:actions", line)
		}
		if n, err := fmt.Sscanf(f[1], "%d,%d,%d", &c.R, &c.G, &c.B); n != 3 || err != nil {
			return nil, fmt.Errorf("line %q: want label:r,g,b:parts:actions", line)
		}
		value := -1
		switch f[0] {
		case class:
			value = int(raster.Figure)
		case "background":
			value = int(raster.Ground)
			background++
		case VoidLabel:
			value = int(raster.Void)
		}
		if _, ok := colors[c]; ok && c != vocBorder {
			return nil, fmt.Errorf("line %q: two labels of one color", line)
		}
		colors[c] = value
	}
	if background != 1 {
		return nil, fmt.Errorf("got %d lines for background, want one", background)
	}
	return colors, nil
}

func decodeColors(data []byte, colors map[color.RGBA]int, width, height int) (*raster.Mask, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Width != width || c.Height != height {
		return nil, fmt.Errorf("got %d x %d pixels, want the picture's %d x %d", c.Width, c.Height, width, height)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	m := raster.NewMask(width, height)
	for i := range m.Pix {
		p := color.RGBAModel.Convert(img.At(img.Bounds().Min.X+i%width, img.Bounds().Min.Y+i/width)).(color.RGBA)
		v, ok := colors[p]
		if !ok || v < 0 {
			return nil, fmt.Errorf("pixel (%d, %d): got color %d,%d,%d, which is not a label's that belongs here", i%width,
				i/width, p.R, p.G, p.B)
		}
		m.Pix[i] = uint8(v)
	}
	return m, nil
}

// A cvatFile is a zip under construction.
type cvatFile struct {
	f     *os.File
	z     *zip.Writer
	class string
	names []string
}

var figureColor = color.RGBA{250, 50, 83, 255}

func newCVAT(file, class string) (*cvatFile, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &cvatFile{f: f, z: zip.NewWriter(f), class: class}, nil
}

func (c *cvatFile) add(name string, it Item) error {
	c.names = append(c.names, name)
	if it.Mask == nil {
		return nil
	}
	img := image.NewPaletted(image.Rect(0, 0, it.Mask.Width, it.Mask.Height), color.Palette{color.RGBA{A: 255}, figureColor, vocBorder})
	for i, v := range it.Mask.Pix {
		img.Pix[i] = min(v, 2)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	for _, dir := range []string{"SegmentationClass/", "SegmentationObject/"} { // one object
		if err := c.entry(dir+name+".png", b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (c *cvatFile) entry(name string, data []byte) error {
	w, err := c.z.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (c *cvatFile) close() error {
	defer c.f.Close()
	v := func(c color.RGBA) string { return fmt.Sprintf("%d,%d,%d", c.R, c.G, c.B) }
	labels := "# label:color_rgb:parts:actions\nbackground:0,0,0::\n" + c.class + ":" + v(figureColor) + "::\n" + VoidLabel +
		":" + v(vocBorder) + "::\n"
	if err := c.entry("labelmap.txt", []byte(labels)); err != nil {
		return err
	}
	if err := c.entry("ImageSets/Segmentation/default.txt", []byte(strings.Join(c.names, "\n")+"\n")); err != nil {
		return err
	}
	if err := c.z.Close(); err != nil {
		return err
	}
	return c.f.Close()
}
