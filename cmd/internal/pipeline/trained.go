package pipeline

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hdseg/lscrf"
	"hdseg/manifests"
)

// A model's file does not name its training pictures. train writes them into a list beside it; the
// models of a build lie below their manifest.

// PicturesSuffix and PicturesHead are how the name of a list of training pictures ends, after the
// model's, and how its text begins.
const (
	PicturesSuffix = ".pictures"
	PicturesHead   = "hdseg training pictures of "
)

// Seen are training pictures, by the first 64 bits of the digests of their files and of their
// pixels.
type Seen map[string]bool

// shortest is how many digits of a digest are kept.
const shortest = 16

// keys are the names of a record's picture in Seen.
func keys(r *manifests.Record) (out []string) {
	for _, d := range []manifests.Digest{r.Image.SHA256, r.Image.Pixels} {
		if len(d) >= shortest {
			out = append(out, string(d)[:shortest])
		}
	}
	return out
}

// Has tells whether a record's picture is among p.
func (p Seen) Has(r *manifests.Record) bool {
	for _, k := range keys(r) {
		if p[k] {
			return true
		}
	}
	return false
}

// trainedWith calls visit with the records that a model of some tiers learns from: those with a
// mask of them, and the manual ones where a tier's masks were made by transfer, which votes with
// them.
func trainedWith(m *manifests.Manifest, tiers lscrf.Mix, visit func(r *manifests.Record)) {
	of := tiers
	for _, t := range tiers {
		if t == manifests.BBox || t == manifests.Label {
			of = append(of[:len(of):len(of)], manifests.Manual)
		}
	}
	for i := range m.Records {
		r := &m.Records[i]
		for _, t := range of {
			if _, ok := r.MaskOf(t); ok && r.Split == manifests.Train {
				visit(r)
				break
			}
		}
	}
}

// ListPictures returns the list of the training pictures of a model: a line with the digest of its
// file, and one line for each picture.
func ListPictures(m *manifests.Manifest, model *lscrf.Model, file []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n", PicturesHead, manifests.Sum(file))
	trainedWith(m, model.Tiers, func(r *manifests.Record) { fmt.Fprintln(&b, strings.Join(keys(r), " ")) })
	return b.Bytes()
}

// TrainingPictures finds the training pictures of a model: by the list beside its file, or by its
// manifest in the folders above, where a build's lies. If it finds neither it returns nil and why.
func TrainingPictures(file string, model *lscrf.Model) (p Seen, why string) {
	p, why = Seen{}, file+PicturesSuffix+" is missing"
	data, err := os.ReadFile(file)
	list, other := os.ReadFile(file + PicturesSuffix)
	if err != nil {
		return nil, err.Error()
	}
	head, rest, _ := strings.Cut(string(list), "\n")
	if other == nil && head == PicturesHead+string(manifests.Sum(data)) {
		for k := range strings.FieldsSeq(rest) {
			p[k] = true
		}
		return p, ""
	}
	if other == nil {
		why = file + PicturesSuffix + " is of another model"
	}
	abs, err := filepath.Abs(file)
	dir := filepath.Dir(filepath.Dir(abs)) // models/BALANCE/FILE of a data set
	if err != nil || filepath.Base(dir) != modelDir {
		return nil, why
	}
	set := filepath.Dir(dir)
	found, _ := fs.Glob(os.DirFS(set), "*.yaml") // the pattern is good
	for _, f := range found {
		f = filepath.Join(set, f)
		if data, err := os.ReadFile(f); err != nil || manifests.Sum(data) != model.Manifest {
			continue
		}
		if _, m, _, err := manifests.ReadFile(f); err == nil {
			trainedWith(m, model.Tiers, func(r *manifests.Record) {
				for _, k := range keys(r) {
					p[k] = true
				}
			})
			return p, ""
		}
	}
	return nil, why
}
