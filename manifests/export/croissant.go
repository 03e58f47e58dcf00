package export

import (
	"archive/tar"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// croissant writes records.json, an archive DATASET-SPLIT-DIGEST.tar of pictures and masks for each
// split, and croissant.json, which describes them in JSON-LD (mlcommons/croissant 1.0). The records
// are no CSV: mlcroissant reads one with pandas, which takes the id NA for none and 0007 for 7.
// Masks are upright as in the manifest.
type croissant struct {
	*exporter
	table           []croissantRow
	splits, formats []string // that there are
}

// A packed picture is listed first and read when its archive is written.
type packed struct {
	*picture
	image, mask string // names in the archive; "" for no mask
}

func (c *croissant) picture(p *picture) (any, []manifests.Box, error) {
	e := packed{picture: p, image: "images/" + p.ID + "." + raster.Extensions(p.Image.Format)[0]}
	if _, err := c.Store.Read(p.Image.Path, p.Image.SHA256); err != nil {
		return nil, nil, err
	}
	if k, ok := p.mask(); ok {
		e.mask = "masks/" + p.ID + ".png"
		if _, err := c.Store.Read(k.Path, k.SHA256); err != nil {
			return nil, nil, err
		}
	}
	return e, nil, nil
}

// A croissantRow is a picture in records.json: strings are "" where there is nothing.
type croissantRow struct {
	ID     string `json:"id"`
	Split  string `json:"split"`
	Tier   string `json:"tier"`
	Synset string `json:"synset"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Image  string `json:"image"`
	Mask   string `json:"mask"`
	Boxes  string `json:"boxes"` // see boxList
}

func (c *croissant) split(ctx context.Context, split manifests.Split, entries []any) error {
	for _, v := range entries {
		e := v.(packed)
		tier := e.Tier
		if e.mask != "" {
			tier = e.tiers[0]
		}
		c.table = append(c.table, croissantRow{e.ID, string(split), string(tier), e.Synset, e.Image.Width, e.Image.Height,
			strings.TrimPrefix(e.image, "images/"), strings.TrimPrefix(e.mask, "masks/"), boxList(e.Boxes)})
		c.formats = append(c.formats, "image/"+e.Image.Format)
	}
	c.splits = append(c.splits, string(split))
	return c.archive(ctx, c.archiveName(string(split)), entries)
}

func (c *croissant) finish() error {
	rows, _ := json.MarshalIndent(append([]croissantRow{}, c.table...), "", " ") // [] for none
	if err := c.out.write("records.json", append(rows, '\n')); err != nil {
		return err
	}
	slices.Sort(c.formats)
	data, err := c.describe(c.splits, slices.Compact(c.formats))
	if err != nil {
		return err
	}
	if err := c.out.write("croissant.json", data); err != nil {
		return err
	}
	return c.out.write("README.md", []byte(c.card("Croissant", croissantReadme)))
}

// archiveName has the manifest's digest in it: mlcroissant keeps what it has unpacked under the
// archive's name, and would find that of another data set.
func (c *croissant) archiveName(split string) string {
	return c.Manifest.Dataset + "-" + split + "-" + c.Digest.Short() + ".tar"
}

// archive packs the pictures and masks of one split with the same owner, mode and time for all.
func (c *croissant) archive(ctx context.Context, name string, entries []any) error {
	return c.out.create(name, func(f *os.File) error {
		w := tar.NewWriter(f)
		add := func(name, path string, sum manifests.Digest) error {
			data, err := c.Store.Read(path, sum)
			if err != nil {
				return err
			}
			// ustar, or PAX for names that need it
			h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644}
			if err := w.WriteHeader(h); err != nil {
				return err
			}
			_, err = w.Write(data)
			return err
		}
		for _, v := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			e := v.(packed)
			if err := add(e.image, e.Image.Path, e.Image.SHA256); err != nil {
				return err
			}
			if e.mask == "" {
				continue
			}
			k, _ := e.picture.mask()
			if err := add(e.mask, k.Path, k.SHA256); err != nil {
				return err
			}
		}
		return w.Close()
	})
}

type object map[string]any

// describe returns the JSON-LD. The context is the standard's own (croissant 1.0, appendix 1).
// There is no datePublished: the same data set gives the same bytes on any day.
func (c *croissant) describe(splits, formats []string) ([]byte, error) {
	file := func(name, format string) (object, error) {
		st, err := os.Stat(filepath.Join(c.Out, name))
		if err != nil {
			return nil, err
		}
		return object{
			"@type": "cr:FileObject", "@id": name, "name": name, "contentUrl": name, "encodingFormat": format,
			"contentSize": fmt.Sprintf("%d B", st.Size()), "sha256": c.out.all[name],
		}, nil
	}
	table, err := file("records.json", "application/json")
	if err != nil {
		return nil, err
	}
	distribution := []object{table}
	var in []object
	for _, s := range splits {
		o, err := file(c.archiveName(s), "application/x-tar")
		if err != nil {
			return nil, err
		}
		distribution = append(distribution, o)
		in = append(in, object{"@id": c.archiveName(s)})
	}
	set := func(id, includes string, format any) object {
		return object{"@type": "cr:FileSet", "@id": id, "name": id, "containedIn": in, "encodingFormat": format, "includes": includes}
	}
	distribution = append(distribution, set("images", "images/*", formats), set("masks", "masks/*.png", "image/png"))
	files := func(id, what string) object {
		return object{"@type": "cr:RecordSet", "@id": id + "_files", "name": id + "_files",
			"key": object{"@id": id + "_files/file"}, "field": []object{
				{"@type": "cr:Field", "@id": id + "_files/file", "name": "file", "dataType": "sc:Text",
					"source": object{"fileSet": object{"@id": id}, "extract": object{"fileProperty": "filename"}}},
				{"@type": "cr:Field", "@id": id + "_files/content", "name": "content", "description": what, "dataType": "sc:ImageObject",
					"source": object{"fileSet": object{"@id": id}, "extract": object{"fileProperty": "content"}}},
			}}
	}
	column := func(name, kind string) object {
		return object{"@type": "cr:Field", "@id": "records/" + name, "name": name, "dataType": kind,
			"source": object{"fileObject": object{"@id": "records.json"}, "extract": object{"jsonPath": "[*]." + name}}}
	}
	records := object{"@type": "cr:RecordSet", "@id": "records", "name": "records", "key": object{"@id": "records/id"}, "field": []object{
		column("id", "sc:Text"), column("split", "sc:Text"), column("tier", "sc:Text"), column("synset", "sc:Text"),
		column("width", "sc:Integer"), column("height", "sc:Integer"), column("image", "sc:Text"), column("mask",
			"sc:Text"), column("boxes", "sc:Text"),
	}}
	data, err := json.MarshalIndent(object{
		"@context": croissantContext, "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
		"name": c.Manifest.Dataset,
		"description": fmt.Sprintf("Figure-ground masks of %s, made from the hdseg manifest with sha256 %s",
			c.Manifest.Class.Name, c.Digest),
		"citeAs":  fmt.Sprintf("%s, made by hdseg %s, manifest sha256 %s", c.Manifest.Dataset, c.Manifest.Version, c.Digest),
		"version": "1.0.0", "license": "NOASSERTION", "distribution": distribution,
		"recordSet": []object{records, files("images", "the picture"), files("masks", "0 ground, 1 figure, 255 void")},
	}, "", "  ")
	return append(data, '\n'), err
}

var croissantContext = func() object {
	c := object{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "dct": "http://purl.org/dc/terms/",
		"cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/", "conformsTo": "dct:conformsTo",
		"data": object{"@id": "cr:data", "@type": "@json"}, "examples": object{"@id": "cr:examples", "@type": "@json"},
		"dataType": object{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, name := range []string{
		"citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format",
		"includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
		"repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
	} {
		c[name] = "cr:" + name
	}
	return c
}()
