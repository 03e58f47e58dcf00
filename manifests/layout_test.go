package manifests

import (
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// handDigest is a digest that YAML takes for a number if it stands bare.
const handDigest = Digest("1234567890123456789012345678901234567890123456789012345678901e23")

func handManifest() *Manifest {
	return &Manifest{
		Header: Header{
			Schema: 1, Dataset: "horseseg", Class: Class{Name: "horse", Synsets: []string{"n02374451"}, VOC: 13},
			Stage: "transfer", Tool: "hdseg", Version: "0.1", Config: handDigest, Seed: 7,
			Skipped: []Skip{{"n1_2", "no", "cut \"short\"\nat 3\u2028"}},
		},
		Records: []Record{
			{
				ID: "2008_000008", Source: "voc2012", Split: Train, Tier: Manual,
				Image: Image{Path: "images/a b.jpg", SHA256: handDigest, Width: 4, Height: 3, Format: "jpeg", Orientation: 1},
			},
			{
				ID: "no", Synset: "n02374451", Split: Test, Tier: BBox,
				Image: Image{
					Path: "images/no.jpg", SHA256: handDigest, Pixels: handDigest, Width: 4, Height: 3, Format: "png",
					Orientation: 6, Origin: `a.tar!\no.png`, Notes: []string{"cmyk", "é"},
				},
				Boxes: []Box{{0, 1, 4, 3}, {1, 0, 2, 1}},
				Masks: []Mask{
					{Tier: BBox, Path: "masks/m0.png", SHA256: handDigest, Figure: 5},
					{
						Tier: "external:sam.2", Revision: 2, Path: "masks/m1.png", SHA256: handDigest, Figure: 5, Void: 7, Quality: 0.00001, Status: "empty",
						Provenance: Provenance{
							WasGeneratedBy: "annotate", GeneratedAtTime: "2026-01-31T13:45:00Z", Used: []Digest{handDigest},
							WasDerivedFrom: []string{"2008_000008", "x"}, WasAttributedTo: "Ann",
						},
					},
				},
			},
		},
	}
}

const handPart = `- id: "2008_000008"
  source: voc2012
  split: train
  tier: manual
  image:
    path: "images/a b.jpg"
    sha256: "D"
    width: 4
    height: 3
    format: jpeg
    orientation: 1
- id: "no"
  synset: n02374451
  split: test
  tier: bbox
  image:
    path: "images/no.jpg"
    sha256: "D"
    pixels: "D"
    width: 4
    height: 3
    format: png
    orientation: 6
    origin: "a.tar!\\no.png"
    notes: ["cmyk", "é"]
  boxes:
    - {xMin: 0, yMin: 1, xMax: 4, yMax: 3}
    - {xMin: 1, yMin: 0, xMax: 2, yMax: 1}
  masks:
    - tier: bbox
      revision: 0
      path: "masks/m0.png"
      sha256: "D"
      figure: 5
      void: 0
    - tier: "external:sam.2"
      revision: 2
      path: "masks/m1.png"
      sha256: "D"
      figure: 5
      void: 7
      quality: 0.00001
      status: empty
      wasGeneratedBy: annotate
      generatedAtTime: "2026-01-31T13:45:00Z"
      used: ["D"]
      wasDerivedFrom: ["2008_000008", "x"]
      wasAttributedTo: "Ann"
`

const handIndex = `schema: 1
name: "stages/t"
dataset: horseseg
class:
  name: horse
  synsets: ["n02374451"]
  voc: 13
stage: transfer
tool: hdseg
version: "0.1"
config: "D"
seed: 7
records: 2
counts:
  - {split: train, tier: manual, images: 1}
  - {split: test, tier: bbox, images: 1}
  - {split: test, tier: "external:sam.2", images: 1}
parts:
  - {path: "stages/t.d/0000.p.yaml", records: 2, sha256: "P"}
skipped:
  - {path: "stages/t.d/skipped.s.yaml", records: 1, sha256: "S"}
`

const handSkips = `- {record: "n1_2", reason: "no", detail: "cut \"short\"\nat 3\u2028"}
`

func TestLayout(t *testing.T) {
	s := testStore(t)
	if _, err := Write(s, "stages/t", handManifest()); err != nil {
		t.Fatal(err)
	}
	part := strings.ReplaceAll(handPart, `"D"`, fmt.Sprintf("%q", string(handDigest)))
	p, k := string(Sum([]byte(part))), string(Sum([]byte(handSkips)))
	index := strings.NewReplacer(`"D"`, fmt.Sprintf("%q", string(handDigest)), `"P"`, fmt.Sprintf("%q", p), ".p.", "."+p[:12]+".",
		`"S"`, fmt.Sprintf("%q", k), ".s.", "."+k[:12]+".").Replace(handIndex)
	for p, want := range map[string]string{"stages/t.yaml": index, "stages/t.d/0000." + p[:12] + ".yaml": part, "stages/t.d/skipped." + k[:12] + ".yaml": handSkips} {
		got, err := s.Read(p, "")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", p, got, want)
		}
	}
}

// Every reader of YAML must see strings where strings were written, for example ids that look like numbers.
func TestLayoutForOtherReaders(t *testing.T) {
	var recs []map[string]any
	if err := yaml.Unmarshal(appendFile(nil, handManifest().Records, recordFields, false), &recs); err != nil {
		t.Fatal(err)
	}
	if got := recs[0]["id"]; got != "2008_000008" {
		t.Errorf("id: got %#v", got)
	}
	if got := recs[1]["id"]; got != "no" {
		t.Errorf("id: got %#v", got)
	}
	image := recs[1]["image"].(map[string]any)
	for k, want := range map[string]any{"sha256": string(handDigest), "width": 4, "origin": `a.tar!\no.png`, "format": "png"} {
		if image[k] != want {
			t.Errorf("image.%s: got %#v, want %#v", k, image[k], want)
		}
	}
	mask := recs[1]["masks"].([]any)[1].(map[string]any)
	for k, want := range map[string]any{"tier": "external:sam.2", "quality": 1e-5, "generatedAtTime": "2026-01-31T13:45:00Z"} {
		if mask[k] != want {
			t.Errorf("mask.%s: got %#v, want %#v", k, mask[k], want)
		}
	}
}
