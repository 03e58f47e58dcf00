package export

import (
	"bytes"
	"encoding/json"
	"slices"

	"hdseg/manifests"
)

// CarryFile lies in the folder of every export and says, a line for a picture, what the manifest says of it: the format's own words have none for
// sources, revisions, qualities and provenance. Restore reads it.
const CarryFile = "hdseg-records.jsonl"

// A carried picture is one line.
type carried struct {
	Record manifests.Record `json:"record"`          // with the masks that were exported
	Boxes  []manifests.Box  `json:"boxes,omitempty"` // that readers of the format find, in its frame
}

// written is an entry that knows which boxes readers of its format find.
type written interface{ written() []manifests.Box }

// carry remembers a picture.
func (e *exporter) carry(p *picture, entry any) {
	c := carried{Record: *p.Record}
	c.Record.Masks = nil
	for _, t := range p.tiers[:min(e.masks(p), len(p.tiers))] {
		if k, ok := p.MaskOf(t); ok {
			c.Record.Masks = append(c.Record.Masks, k)
		}
	}
	slices.SortFunc(c.Record.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
	if w, ok := entry.(written); ok {
		c.Boxes = w.written()
	}
	e.carried = append(e.carried, c)
}

// masks is the number of a picture's masks that the format has room for; HDSeg has names for three tiers, which come first.
func (e *exporter) masks(p *picture) (n int) {
	if e.Options.Format != "hdseg" {
		return 1
	}
	slices.SortStableFunc(p.tiers, func(a, b manifests.Tier) int { return named(b) - named(a) })
	for _, t := range p.tiers {
		n += named(t)
	}
	return n
}

func named(t manifests.Tier) int {
	if _, ok := hdsegSuffix[t]; ok {
		return 1
	}
	return 0
}

func (e *exporter) writeCarried() error {
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	for i := range e.carried {
		if err := j.Encode(&e.carried[i]); err != nil {
			return err
		}
	}
	return e.out.write(CarryFile, b.Bytes())
}

func (c cocoEntry) written() (out []manifests.Box) {
	for _, a := range c.annotations {
		if b := a.Box; a.Crowd == 0 && a.Area+b[2]+b[3] > 0 { // no figure is no box
			out = append(out, manifests.Box{XMin: b[0], YMin: b[1], XMax: b[0] + b[2], YMax: b[1] + b[3]})
		}
	}
	return out
}

func (v vocEntry) written() []manifests.Box    { return v.boxes }
func (f folderEntry) written() []manifests.Box { return f.boxes }
