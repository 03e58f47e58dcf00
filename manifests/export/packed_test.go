package export

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests"
)

// pack makes an archive of a folder.
func pack(t *testing.T, dir, to string) {
	t.Helper()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch filepath.Ext(to) {
	case ".zip":
		z := zip.NewWriter(f)
		err = z.AddFS(os.DirFS(dir))
		err = cmp.Or(err, z.Close())
	case ".gz":
		z := gzip.NewWriter(f)
		w := tar.NewWriter(z)
		err = w.AddFS(os.DirFS(dir))
		err = cmp.Or(err, cmp.Or(w.Close(), z.Close()))
	default:
		w := tar.NewWriter(f)
		err = w.AddFS(os.DirFS(dir))
		err = cmp.Or(err, w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An export that somebody packed into an archive comes back with the names that it had, as its folder does.
func TestRestorePacked(t *testing.T) {
	s, m := oddWorld(t)
	for _, c := range []struct {
		format, ext string
		source      func(archive, out string, r *ingest.Request) []string
	}{
		{"hdseg", ".tar", func(a, _ string, r *ingest.Request) []string { r.HDSeg = []string{a}; return r.HDSeg }},
		{"voc", ".tar.gz", func(a, _ string, r *ingest.Request) []string { r.VOC = []string{a}; return r.VOC }},
		{"imagefolder", ".zip", func(a, _ string, r *ingest.Request) []string { r.Folders = []string{a}; return r.Folders }},
		{"imagefolder", ".tar", func(a, _ string, r *ingest.Request) []string { r.Folders = []string{a}; return r.Folders }},
		{"coco", ".tar", func(a, out string, r *ingest.Request) (sources []string) {
			for _, s := range []string{"train", "test"} {
				images := filepath.Join(filepath.Dir(out), s+".tar")
				pack(t, filepath.Join(out, s), images)
				r.COCO = append(r.COCO, ingest.COCO{Instances: filepath.Join(out, "annotations/instances_"+s+".json"), Images: images})
				sources = append(sources, r.COCO[len(r.COCO)-1].Instances)
			}
			return sources
		}},
	} {
		t.Run(c.format+c.ext, func(t *testing.T) {
			back, got, sources := reingest(t, s, m, Options{Format: c.format}, func(out string, r *ingest.Request) []string {
				archive := out + c.ext
				pack(t, out, archive)
				if c.format != "coco" {
					if err := os.RemoveAll(out); err != nil {
						t.Fatal(err)
					}
				}
				return c.source(archive, out, r)
			}, nothing)
			all, err := ReadCarried(sources)
			if err != nil {
				t.Fatal(err)
			}
			if n, not, missing, err := all.Restore(back, got); err != nil || n != len(m.Records) || not+missing != 0 {
				t.Errorf("restored %d of %d, %d not, %d missing: %v", n, len(m.Records), not, missing, err)
			}
			for _, d := range manifests.Diff(m, got) {
				t.Errorf("%+v", d)
			}
		})
	}
}

// A damaged archive, or none, has no CarryFile; whoever reads its pictures says what is wrong.
func TestCarriedInDamaged(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "tree")
	if err := os.MkdirAll(tree, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, CarryFile), make([]byte, 100_000), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".tar", ".tar.gz", ".zip"} {
		name := filepath.Join(dir, "a"+ext)
		pack(t, tree, name)
		if got := carriedIn(name); len(got) != 1 || len(got[0]) != 100_000 {
			t.Errorf("%s: %d texts", ext, len(got))
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 600, len(data) / 2} {
			if err := os.WriteFile(name, data[:min(n, len(data)/2)], 0o666); err != nil {
				t.Fatal(err)
			}
			if got := carriedIn(name); len(got) != 0 {
				t.Errorf("%s cut to %d bytes: %d texts", ext, n, len(got))
			}
		}
	}
	if got := carriedIn(dir); got != nil {
		t.Errorf("a folder: %v", got)
	}
}
