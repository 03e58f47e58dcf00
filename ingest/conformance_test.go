package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A sourceCase is a source for the conformance suite: how three pictures, of 40 x 30 pixels and with figure on the left half where there are
// masks, lie in its layout.
type sourceCase struct {
	name  string
	ids   [3]string
	files func(ids [3]string, pictures [3][]byte) []member // a tree
	use   func(req *Request, root, boxes string)           // root is the tree or an archive of it; boxes is a folder
	tier  manifests.Tier
	exif  bool // the tag counts
}

// regionsText is a labels/*.regions.txt of w x h pixels whose left half has label 7, the rest 0.
func regionsText(w, h int) []byte {
	row := strings.Repeat("7 ", w/2) + strings.Repeat("0 ", w-w/2) + "\n"
	return []byte(strings.Repeat(row, h))
}

var sourceCases = []sourceCase{
	{
		name: "voc", ids: [3]string{"2007_000001", "2007_000002", "2007_000010"}, tier: manifests.Manual,
		files: func(ids [3]string, p [3][]byte) (out []member) {
			list := ""
			for i, id := range ids {
				list += id + "\n"
				out = append(out, member{"VOC2012/JPEGImages/" + id + ".jpg", p[i]}, member{"VOC2012/SegmentationClass/" + id + ".png", vocMask(40, 30, 13)})
			}
			return append(out, member{"VOC2012/ImageSets/Segmentation/trainval.txt", []byte(list)})
		},
		use: func(req *Request, root, _ string) { req.VOC = []string{root} },
	},
	{
		name: "imagenet", ids: [3]string{"n02374451_1", "n02374451_2", "n02374451_10"}, tier: manifests.BBox,
		files: func(ids [3]string, p [3][]byte) (out []member) {
			for i, id := range ids {
				out = append(out, member{"n02374451/" + id + ".JPEG", p[i]})
			}
			return out
		},
		use: func(req *Request, root, boxes string) { req.ImageNet, req.Boxes = []string{root}, []string{boxes} },
	},
	{
		name: "hdseg", ids: [3]string{"n02374451_1", "n02374451_2", "n02374451_10"}, tier: manifests.Label,
		files: func(ids [3]string, p [3][]byte) (out []member) {
			for i, id := range ids {
				out = append(out, member{"HDSeg/images/HorseSeg/n02374451/" + id + ".JPEG", p[i]}, member{"HDSeg/annotations/HorseSeg/n02374451/" + id + ".no.png", grayMask(40, 30, 1, 0)})
			}
			return out
		},
		use: func(req *Request, root, _ string) { req.HDSeg = []string{root} },
	},
	{
		name: "stanford", ids: [3]string{"0000001", "0000002", "1e5"}, tier: manifests.Manual,
		files: func(ids [3]string, p [3][]byte) (out []member) {
			for i, id := range ids {
				out = append(out, member{"iccv09Data/images/" + id + ".jpg", p[i]}, member{"iccv09Data/labels/" + id + ".regions.txt", regionsText(40, 30)})
			}
			return out
		},
		use: func(req *Request, root, _ string) { req.Stanford = []string{root} },
	},
	{
		name: "folder", ids: [3]string{"a", "b.c", "sub%2Fd"}, tier: manifests.Manual, exif: true,
		files: folderTree,
		use:   func(req *Request, root, _ string) { req.Folders = []string{root} },
	},
	{
		name: "test", ids: [3]string{"a", "b.c", "sub%2Fd"}, tier: manifests.Manual, exif: true,
		files: folderTree,
		use:   func(req *Request, root, _ string) { req.Test = root },
	},
	{
		name: "coco", ids: [3]string{"a", "b.c", "sub%2Fd"}, tier: manifests.Manual,
		files: func(_ [3]string, p [3][]byte) (out []member) {
			for i, name := range plainNames {
				out = append(out, member{name + ".jpg", p[i]})
			}
			return out
		},
		use: func(req *Request, root, boxes string) {
			req.COCO = []COCO{{filepath.Join(boxes, "instances.json"), root}}
		},
	},
}

var plainNames = [3]string{"a", "b.c", "sub/d"}

func folderTree(_ [3]string, p [3][]byte) (out []member) {
	for i, name := range plainNames {
		out = append(out, member{"images/" + name + ".jpg", p[i]}, member{"masks/" + name + ".png", grayMask(40, 30, 1, 0)})
	}
	return out
}

// besides are what lies beside the trees: box files and an instances file.
func besides(t testing.TB) string {
	var images, annotations []string
	for i, name := range plainNames {
		images = append(images, fmt.Sprintf(`{"id": %d, "file_name": "%s.jpg", "width": 40, "height": 30}`, i, name))
		annotations = append(annotations, fmt.Sprintf(`{"id": %d, "image_id": %d, "category_id": 3, "segmentation": [[0,0,20,0,20,30,0,30]]}`, i, i))
	}
	files := []member{{"instances.json", fmt.Appendf(nil, `{"images": [%s], "annotations": [%s], "categories": [{"id": 3, "name": "horse"}]}`,
		strings.Join(images, ","), strings.Join(annotations, ","))}}
	for _, n := range []string{"1", "2", "10"} {
		files = append(files, member{"n02374451_" + n + ".xml", boxXML(40, 30, [5]any{"horse", 1, 1, 20, 30})})
	}
	return plant(t, t.TempDir(), files...)
}

// request plants a case as a folder ("") or as an archive of a kind.
func (c *sourceCase) request(t testing.TB, archive string, pictures [3][]byte, change func([]byte) []byte) Request {
	files := c.files(c.ids, pictures)
	root := ""
	switch archive {
	case "":
		root = plant(t, t.TempDir(), files...)
	case "tar":
		data := tarOf(files...)
		if change != nil {
			data = change(data)
		}
		root = archiveFile(t, "x.tar", data)
	case "tar.gz":
		root = archiveFile(t, "x.tar.gz", gz(tarOf(files...)))
	case "tar in tar":
		root = archiveFile(t, "x.tar", tarOf(member{"in.tar", tarOf(files...)}))
	}
	req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 2, Version: "test"}
	c.use(&req, root, besides(t))
	return req
}

func good() [3][]byte {
	return [3][]byte{jpegBytes(40, 30, 1), jpegBytes(40, 30, 2), jpegBytes(40, 30, 3)}
}

// forSources runs a test on every source and counts them.
func forSources(t *testing.T, test func(t *testing.T, c *sourceCase)) {
	n := 0
	for i := range sourceCases {
		c := &sourceCases[i]
		t.Run(c.name, func(t *testing.T) { test(t, c); n++ })
	}
	if n != 7 {
		t.Errorf("ran %d sources, want 7", n)
	}
}

// Every layout of every source gives the same three records, with figure where it was drawn.
func TestSourceLayouts(t *testing.T) {
	forSources(t, func(t *testing.T, c *sourceCase) {
		var first *Result
		for _, archive := range []string{"", "tar", "tar.gz", "tar in tar"} {
			res, store := mustIngest(t, c.request(t, archive, good(), nil))
			if len(res.Manifest.Records) != 3 || len(res.Manifest.Skipped) > 0 {
				t.Fatalf("%q: got %d records, skips %v", archive, len(res.Manifest.Records), res.Manifest.Skipped)
			}
			for i, id := range c.ids {
				r := record(t, res, id)
				if data, err := store.Read(r.Image.Path, r.Image.SHA256); err != nil || !bytes.Equal(data, good()[i]) || r.Tier != c.tier {
					t.Errorf("%q: %s: got %v, tier %s, or other bytes than the source's", archive, id, err, r.Tier)
				}
				if c.name == "imagenet" {
					if want := []manifests.Box{{XMax: 20, YMax: 30}}; !slices.Equal(r.Boxes, want) {
						t.Errorf("%q: %s: got %v, want %v", archive, id, r.Boxes, want)
					}
					continue
				}
				m := maskOf(t, store, r)
				for y := range 30 {
					for x := range 40 {
						if (m.At(x, y) == 1) != (x < 20) {
							t.Fatalf("%q: %s: mask at (%d, %d): got %d", archive, id, x, y, m.At(x, y))
						}
					}
				}
			}
			for i := range res.Manifest.Records {
				res.Manifest.Records[i].Image.Origin = ""
			}
			if c.name == "imagenet" {
				res.Aside = nil // the instances file beside the boxes, in a folder whose name differs
			}
			delete(res.Warnings, "found_in_other_folder") // an archive's name is a folder of its members
			if first == nil {
				first = res
			} else if !reflect.DeepEqual(res, first) {
				t.Errorf("%q: the result differs from a folder's", archive)
			}
		}
	})
}

// One picture that cannot be used costs its record and no other, whatever is wrong with it.
func TestSourceBadPictures(t *testing.T) {
	whole := jpegBytes(40, 30, 2)
	forSources(t, func(t *testing.T, c *sourceCase) {
		for _, bad := range []struct {
			data   []byte
			reason string
		}{{whole[:len(whole)*2/3], "corrupt_image"}, {nil, "not_a_picture"}, {[]byte("<html>"), "not_a_picture"}, {bombPNG(1<<31-1, 1<<31-1), "corrupt_image too_large"}} {
			p := good()
			p[1] = bad.data
			for _, archive := range []string{"", "tar"} {
				res, _ := mustIngest(t, c.request(t, archive, p, nil))
				s := res.Manifest.Skipped
				if res.Kept != 2 || res.Dropped != 1 || len(s) != 1 || s[0].Record != c.ids[1] || !strings.Contains(bad.reason, s[0].Reason) || s[0].Detail == "" {
					t.Errorf("%q %s: kept %d, dropped %d, skips %v", archive, bad.reason, res.Kept, res.Dropped, s)
				}
			}
		}
	})
}

// Content decides: a PNG under a JPEG's name is read and remarked. The EXIF tag counts in folders, with image and mask alike, and
// nowhere else; the record says which.
func TestSourceContentAndExif(t *testing.T) {
	forSources(t, func(t *testing.T, c *sourceCase) {
		p := good()
		p[0] = grayMask(40, 30, 9, 80, 200)
		p[1] = withExif(p[1], 3)
		res, store := mustIngest(t, c.request(t, "", p, nil))
		if r := record(t, res, c.ids[0]); r.Image.Format != "png" || !slices.Contains(r.Image.Notes, "ext_mismatch") {
			t.Errorf("got %+v", r.Image)
		}
		r := record(t, res, c.ids[1])
		want := 1
		if c.exif {
			want = 3
		}
		if r.Image.Orientation != want || slices.Contains(r.Image.Notes, "exif_ignored") == c.exif {
			t.Errorf("got %+v, want orientation %d", r.Image, want)
		}
		if c.tier != manifests.BBox && (maskOf(t, store, r).At(0, 0) == 1) == c.exif {
			t.Errorf("the mask is turned: %v, want %v", !c.exif, c.exif)
		}
	})
}

// A short archive is an error that names it, unless the options allow it; then what is whole is used and the archive is listed.
func TestSourceShortArchive(t *testing.T) {
	forSources(t, func(t *testing.T, c *sourceCase) {
		cut := func(data []byte) []byte { return data[:len(data)-1024] } // the end blocks
		req := c.request(t, "tar", good(), cut)
		_, _, err := ingestOf(t, req)
		var ae *ArchiveError
		if !errors.As(err, &ae) || !strings.Contains(err.Error(), "x.tar") {
			t.Errorf("got %v", err)
		}
		req.Options.AllowTruncated = true
		res, _ := mustIngest(t, req)
		if got := reasons(res); res.Kept != 3 || !slices.Equal(got, []string{"x.tar truncated_archive"}) {
			t.Errorf("kept %d, skips %v", res.Kept, got)
		}
	})
}

// Equal results for any number of workers; a path that is not there, a source without pictures and a canceled run are errors.
func TestSourceRuns(t *testing.T) {
	forSources(t, func(t *testing.T, c *sourceCase) {
		req := c.request(t, "", good(), nil)
		a, storeA := mustIngest(t, req)
		req.Workers = 7
		b, storeB := mustIngest(t, req)
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(tree(t, storeA), tree(t, storeB)) {
			t.Error("the results differ with the number of workers")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Run(ctx, req, storeA, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: got %v", err)
		}
		for what, root := range map[string]string{"no such path": filepath.Join(t.TempDir(), "none"), "nothing in it": plant(t, t.TempDir(), member{"readme.txt", nil})} {
			c.use(&req, root, besides(t))
			if _, _, err := ingestOf(t, req); err == nil && !(c.name == "coco" && what == "nothing in it") {
				t.Errorf("%s: no error", what)
			}
		}
	})
}
