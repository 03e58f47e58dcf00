package demo

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"path"
	"strings"
	"time"

	"hdseg/manifests/format"
)

// archiveTime is the modification time of all tar members: a date of VOC 2012's days.
var archiveTime = time.Unix(1335830400, 0).UTC()

// A tarFile is a tar whose bytes depend on nothing but its members.
type tarFile struct {
	bytes.Buffer
	tar *tar.Writer
}

// newTar begins an archive below the world's folder, compressed if its name says so. It is
// written when all pictures are drawn.
func (d *desk) newTar(name string) *tarFile {
	t := &tarFile{}
	zip := gzip.NewWriter(&t.Buffer)
	zipped := strings.HasSuffix(name, ".gz")
	if t.tar = tar.NewWriter(&t.Buffer); zipped {
		t.tar = tar.NewWriter(zip)
	}
	d.after = append(d.after, func() error {
		err := t.tar.Close()
		if err == nil && zipped {
			err = zip.Close()
		}
		return cmp.Or(err, d.write(name, t.Bytes()))
	})
	return t
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

// planImageNet plans the synset tar, the box tar of some of its pictures, and the true
// masks of all of them.
func (d *desk) planImageNet() {
	wnid := d.kind.synset
	images, boxes := d.newTar("imagenet/"+wnid+".tar"), d.newTar("imagenet/boxes/"+wnid+".tar.gz")
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
	a := format.VOCAnnotation{Folder: d.kind.synset, Filename: id, Database: "ImageNet database", Width: w, Height: h, Depth: 3}
	for _, o := range p.objects() {
		if o.class == p.target {
			box := o.box
			if outside {
				box.Min.X, box.Max.X = box.Min.X+2*p.w, box.Max.X+2*p.w
			}
			a.Objects = append(a.Objects, newObject(name, box, p.w, p.h, w, h))
		}
	}
	return a.Bytes()
}

// planTest plans the folder of test pictures and their masks.
func (d *desk) planTest() {
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
}
