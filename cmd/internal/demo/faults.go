package demo

import (
	"archive/tar"
	"bytes"
	"cmp"
	"os"
	"path"
	"slices"
	"strings"
)

// A Kind names what is wrong with a planted record.
type Kind string

// The faults that Options.Faults plants. All but the cut archives are added to the
// world's sound records; the cut archives lie in faults/, beside the world, since one
// of them spoils a whole build.
const (
	// a member of ImageNetTar, cut to 60 % of its bytes; it has no box
	CorruptImage Kind = "corrupt image"
	// one listed VOC picture and one test picture without a mask file
	MissingMask Kind = "missing mask"
	// a sound picture of ImageNetTar whose box file lies wholly right of it
	BoxOutside Kind = "box outside"
	// copies of ImageNetTar: one cut within a member, one after a member
	TruncatedTar Kind = "truncated tar"
	// a test picture with the bytes of a VOC picture of another id
	Duplicate Kind = "duplicate"
)

// A Fault is one planted fault.
type Fault struct {
	Kind   Kind
	Record string // id of the record; the archive's name for a truncated tar
	Path   string // slash-separated, below the world's folder: the file or archive at fault
	Twin   string // Duplicate: the VOC id of the same picture; else ""
}

// plantedFaults gives the added records of each source their faults.
func plantedFaults(b idBook, s build) []Fault {
	voc, tests, images := b.voc[len(b.voc)-planted:], b.tests[len(b.tests)-planted:], b.imageNet[len(b.imageNet)-planted:]
	archive, boxes := "imagenet/"+s.synset+".tar", "imagenet/boxes/"+s.synset+".tar.gz"
	return []Fault{
		{CorruptImage, images[0], archive, ""},
		{MissingMask, voc[0], path.Join(vocFolder, "SegmentationClass", voc[0]+".png"), ""},
		{MissingMask, tests[0], "test/masks/" + tests[0] + ".png", ""},
		{BoxOutside, images[1], boxes, ""},
		{TruncatedTar, s.synset + ".tar", "faults/member/" + s.synset + ".tar", ""},
		{TruncatedTar, s.synset + ".tar", "faults/end/" + s.synset + ".tar", ""},
		{Duplicate, tests[1], "test/images/" + tests[1] + ".jpg", voc[1]},
	}
}

// planted tells whether a record has a fault of a kind.
func (d *desk) planted(k Kind, id string) bool {
	return slices.ContainsFunc(d.world.Planted, func(f Fault) bool { return f.Kind == k && f.Record == id })
}

// planFaults plans the faults that are made of finished files: the duplicate, whose
// mask is drawn with its twin, and the cut archives.
func (d *desk) planFaults() {
	for _, f := range d.world.Planted {
		switch f.Kind {
		case Duplicate:
			d.copyTwin(f)
		case TruncatedTar:
			d.after = append(d.after, func() error { return d.cutTar(f) })
		}
	}
}

// copyTwin makes the shot of a duplicate's twin write the test picture too.
func (d *desk) copyTwin(f Fault) {
	shot := &d.shots[slices.Index(d.ids.voc, f.Twin)] // planVOC comes first: shot i is VOC picture i
	put := shot.put
	shot.put = func(p *picture, jpg []byte) error {
		if err := cmp.Or(put(p, jpg), d.write(f.Path, jpg)); err != nil {
			return err
		}
		return d.writePNG("test/masks/"+f.Record+".png", p.mask())
	}
}

// cutTar copies the beginning of the synset tar: up to three quarters of its third
// member's data, or up to the third member, where a reader meets a clean end of file
// but not the two zero blocks that end a tar.
func (d *desk) cutTar(f Fault) error {
	data, err := os.ReadFile(d.world.ImageNetTar)
	if err != nil {
		return err
	}
	in := bytes.NewReader(data)
	tr := tar.NewReader(in)
	var h *tar.Header
	for range 3 {
		if h, err = tr.Next(); err != nil {
			return err
		}
	}
	// After the third header only the header itself has been read past the boundary.
	start := len(data) - in.Len()
	end := start - 512
	if strings.Contains(f.Path, "/member/") {
		end = start + int(h.Size*3/4)
	}
	return d.write(f.Path, data[:end])
}
