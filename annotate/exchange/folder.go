package exchange

import (
	"encoding/json"
	"errors"
	"image"
	"io/fs"
	"os"
	"path/filepath"

	"hdseg/manifests/raster"
)

func newGray(width, height int) *image.Gray { return image.NewGray(image.Rect(0, 0, width, height)) }

// Writer writes a data set for another tool into a folder, which is there when Close has returned
// and not before.
type Writer struct {
	to    string // the folder to make
	temp  string // a hidden folder beside it
	dir   string // in temp: what becomes the folder
	kind  string
	class string
	coco  *cocoFile
	cvat  *cvatFile
}

// Create begins the folder, which must be empty or absent. End with Close, or with Abort if
// something failed. A process that is killed leaves a hidden folder .NAME-* beside it, which
// hinders nobody and can be removed.
func Create(kind, dir, class string) (*Writer, error) {
	to, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(to)
	if err == nil && len(entries) > 0 {
		return nil, &os.PathError{Op: "export", Path: dir, Err: os.ErrExist}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return nil, err
	}
	w := &Writer{to: to, kind: kind, class: class}
	if w.temp, err = os.MkdirTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*"); err != nil {
		return nil, err
	}
	w.dir = filepath.Join(w.temp, filepath.Base(to))
	err = os.Mkdir(w.dir, 0o777)
	switch {
	case err != nil:
	case kind == COCO:
		w.coco = newCOCO(class)
	case kind == CVAT:
		w.cvat, err = newCVAT(filepath.Join(w.dir, "annotations.zip"), class)
	}
	if err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

// Abort removes what was written. After Close it does nothing.
func (w *Writer) Abort() {
	if w.cvat != nil {
		w.cvat.f.Close()
	}
	os.RemoveAll(w.temp)
}

// Add writes one picture, upright and without EXIF, as images/NAME.png (labelme: NAME.png), and its
// mask in the format's own way.
func (w *Writer) Add(it Item) error {
	name := Name(it.Record)
	picture, sub := raster.EncodePNG(it.Image), "images"
	if w.kind == Labelme {
		sub = ""
	}
	if err := w.file(filepath.Join(sub, name+".png"), picture); err != nil {
		return err
	}
	switch w.kind {
	case PNG:
		if it.Mask == nil {
			return nil
		}
		return w.file(filepath.Join("masks", name+".png"), encodeGrey(it.Mask))
	case Labelme:
		data, err := encodeLabelme(name, w.class, it)
		if err != nil {
			return err
		}
		return w.file(name+".json", data)
	case COCO:
		w.coco.add(name, it)
		return nil
	}
	return w.cvat.add(name, it)
}

// Close writes what holds all pictures together, and gives the folder its name.
func (w *Writer) Close() error {
	defer w.Abort()
	if err := w.finish(); err != nil {
		return err
	}
	if err := os.Remove(w.to); err != nil && !errors.Is(err, fs.ErrNotExist) { // it was empty
		return err
	}
	return os.Rename(w.dir, w.to)
}

func (w *Writer) finish() error {
	switch w.kind {
	case COCO:
		data, err := json.Marshal(w.coco)
		if err != nil {
			return err
		}
		return w.file("annotations.json", data)
	case CVAT:
		return w.cvat.close()
	}
	return nil
}

func (w *Writer) file(name string, data []byte) error {
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}
