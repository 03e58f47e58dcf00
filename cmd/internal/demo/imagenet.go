package demo

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"time"
)

// archiveTime is the modification time of all tar members: a date of VOC 2012's days.
var archiveTime = time.Unix(1335830400, 0).UTC()

// A tarFile is a tar, or a tar.gz, whose bytes depend on nothing but its members.
type tarFile struct {
	file *os.File
	gz   *gzip.Writer // nil for a plain tar
	tar  *tar.Writer
}

// newTar makes an archive below the world's folder; the desk closes it.
func (d *desk) newTar(name string, zipped bool) (*tarFile, error) {
	full, err := d.place(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Create(full)
	if err != nil {
		return nil, err
	}
	t := &tarFile{file: f}
	var w io.Writer = f
	if zipped {
		t.gz = gzip.NewWriter(f)
		w = t.gz
	}
	t.tar = tar.NewWriter(w)
	d.tars = append(d.tars, t)
	return t, nil
}

// add appends a member.
func (t *tarFile) add(name string, data []byte) error {
	h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: archiveTime,
		Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
	if err := t.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := t.tar.Write(data)
	return err
}

// close ends the archive, also after an error.
func (t *tarFile) close() error {
	err := t.tar.Close()
	if t.gz != nil {
		if gerr := t.gz.Close(); err == nil {
			err = gerr
		}
	}
	if ferr := t.file.Close(); err == nil {
		err = ferr
	}
	return err
}

// planImageNet plans the synset tar, the box tar of some of its pictures, and the true
// masks of all of them.
func (d *desk) planImageNet() error {
	wnid := d.kind.synset
	images, err := d.newTar("imagenet/"+wnid+".tar", false)
	if err != nil {
		return err
	}
	boxes, err := d.newTar("imagenet/boxes/"+wnid+".tar.gz", true)
	if err != nil {
		return err
	}
	for i, id := range d.ids.imageNet {
		d.shots = append(d.shots, shot{fmt.Sprintf("imagenet/%d", i), false, func(p *picture, jpg []byte) error {
			if d.planted(CorruptImage, id) {
				jpg = jpg[:len(jpg)*6/10]
			}
			if err := images.add(id+".JPEG", jpg); err != nil {
				return err
			}
			outside := d.planted(BoxOutside, id)
			if d.ids.boxed[i] || outside {
				name := path.Join("Annotation", wnid, id+".xml")
				if err := boxes.add(name, d.imageNetXML(i, id, p, outside)); err != nil {
					return err
				}
			}
			return d.writePNG("truth/"+id+".png", p.truth())
		}})
	}
	return nil
}

// imageNetXML lists the figures of the class as ImageNet's files do: in every fourth
// one relative to the size that the annotator saw, the name an id or a word, the file
// name without its ending.
func (d *desk) imageNetXML(i int, id string, p *picture, outside bool) []byte {
	w, h := p.w, p.h
	switch i % 8 {
	case 1: // shown enlarged
		w, h = 500, (500*p.h+p.w/2)/p.w
	case 5: // shown reduced
		w, h = 3*p.w/4, 3*p.h/4
	}
	name := d.kind.synset
	if i%3 == 0 {
		name = d.kind.word
	}
	a := annotation{Folder: d.kind.synset, Filename: id, Database: "ImageNet database", Width: w, Height: h, Depth: 3}
	for _, o := range p.objects() {
		if o.class == p.target {
			box := o.box
			if outside {
				box.Min.X, box.Max.X = box.Min.X+2*p.w, box.Max.X+2*p.w
			}
			a.Objects = append(a.Objects, newObject(name, box, p.w, p.h, w, h))
		}
	}
	return a.bytes()
}

// planTest plans the folder of test pictures and their masks.
func (d *desk) planTest() error {
	for i, id := range d.ids.tests {
		if d.planted(Duplicate, id) {
			continue // copied later
		}
		maskless := d.planted(MissingMask, id)
		d.shots = append(d.shots, shot{fmt.Sprintf("test/%d", i), false, func(p *picture, jpg []byte) error {
			if err := d.write("test/images/"+id+".jpg", jpg); err != nil || maskless {
				return err
			}
			return d.writePNG("test/masks/"+id+".png", p.mask())
		}})
	}
	return nil
}
