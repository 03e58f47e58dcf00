package exchange

import (
	"archive/zip"
	"errors"
	"fmt"
	"image"
	"image/color"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// vocBorder is the color in which VOC's tools draw what is void.
var vocBorder = color.RGBA{224, 224, 192, 255}

// cvat reads "Segmentation mask 1.1" as CVAT exports it: SegmentationClass/NAME.png in the colors
// of the labelmap.txt beside it, or of another label map. Several tasks have one each.
func (s *source) cvat(o Options) ([]Drawn, error) {
	found := s.all(format.IsLabelMap)
	if len(found) == 0 {
		masks := s.has("SegmentationClass")
		if xml := s.all(func(base string) bool { return path.Ext(base) == ".xml" }); len(xml) > 0 && !masks {
			return nil, noMasks(fmt.Sprintf("%s: holds %s, which is not a mask, as of \"CVAT for images\" or video: export the task as "+
				"\"Segmentation mask 1.1\" instead", s.path, xml[0].name))
		}
		return nil, noMasks(fmt.Sprintf("%s: there is no labelmap.txt, only %s: want a task exported as \"Segmentation mask 1.1\"", s.path,
			s.names()))
	}
	folders := map[string]*labeled{}
	for _, f := range found {
		dir, _ := path.Split(f.name)
		if folders[dir] == nil {
			folders[dir] = &labeled{}
		}
		m, err := s.labelMap(f, o.Class)
		folders[dir].Add(path.Join(s.path, f.name), m, err)
	}
	return s.cvatMasks(folders, o)
}

// A labeled is a folder with label maps, and the masks that it explains.
type labeled struct {
	format.LabelFolder
	masks  []file
	labels *format.LabelMap // the map that fits
	figure uint8            // the class's number in it
}

// fit chooses the map.
func (l *labeled) fit(class string) (err error) {
	lim := raster.DefaultLimits()
	if l.labels, _, err = l.Fit(class, func(yield func([]byte) bool) {
		for _, f := range l.masks {
			if data, err := f.read(lim.MaxBytes); err == nil && !yield(data) {
				return
			}
		}
	}, lim); err == nil {
		l.figure, err = l.labels.Number(class)
	}
	return err
}

// labelMap reads a label map that must have the class.
func (s *source) labelMap(f file, class string) (*format.LabelMap, error) {
	text, err := f.read(1 << 20)
	if err == nil {
		text, err = format.PlainText(text)
	}
	if err != nil {
		return nil, s.in(f, err)
	}
	m, err := format.ParseLabelMap(f.name, text)
	if err != nil {
		return nil, s.in(f, err)
	}
	if _, err = m.Number(class); err != nil { // which names the file
		return nil, fmt.Errorf("%s: %w", path.Join(s.path, path.Dir(f.name)), renamed(err, class))
	}
	return m, nil
}

// cvatMasks lists the masks of tasks, each with the label map that lies beside or least far above.
func (s *source) cvatMasks(folders map[string]*labeled, o Options) (out []Drawn, err error) {
	for _, f := range s.files {
		dir, name, ok := strings.Cut("/"+f.name, "/SegmentationClass/")
		if !ok { // labelme's
			dir, name, ok = strings.Cut("/"+f.name, "/SegmentationClassPNG/")
		}
		if !ok || !strings.EqualFold(path.Ext(name), ".png") {
			continue
		}
		above := strings.TrimPrefix(dir+"/", "/")
		for above != "" && folders[above] == nil {
			above, _ = path.Split(strings.TrimSuffix(above, "/"))
		}
		l, d := folders[above], Drawn{Name: strings.TrimSuffix(name, path.Ext(name)), File: f.name, Err: f.err}
		switch {
		case l == nil:
			d.Err = errors.New("no label map lies beside it or in a folder above")
		case f.err == nil:
			l.masks = append(l.masks, f)
			d.Mask = func(width, height int) (*raster.Mask, manifests.Digest, error) {
				data, err := f.read(int64(width)*int64(height)*4 + 1<<20)
				if err != nil {
					return nil, "", err
				}
				m, err := decodeLabels(data, l.labels, l.figure, o, width, height)
				return m, s.digestOf(data), err
			}
		}
		out = append(out, d)
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		if err := folders[dir].fit(o.Class); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decodeLabels makes a mask of label numbers: one is figure, 0 ground.
func decodeLabels(data []byte, labels *format.LabelMap, figure uint8, o Options, width, height int) (*raster.Mask, error) {
	if err := checkSize(data, width, height); err != nil {
		return nil, err
	}
	ix, err := labels.Decode(data, raster.Limits{MaxPixels: int64(width) * int64(height), MaxBytes: maxFile})
	if err != nil {
		return nil, err
	}
	var seen [256]bool
	for i, v := range ix.Pix {
		if v == 0 || v == figure || v == format.VOCVoid || seen[v] {
			continue
		}
		if err := o.other(labels.Names[v], o.Class+", background or void"); err != nil {
			return nil, fmt.Errorf("pixel (%d, %d): %w", i%width, i/width, err)
		}
		seen[v] = true
	}
	return ix.Figure(figure), nil
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
	data := raster.PNG(img)
	for _, dir := range []string{"SegmentationClass/", "SegmentationObject/"} { // one object
		if err := c.entry(dir+name+".png", data); err != nil {
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
