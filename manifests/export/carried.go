package export

import (
	"bytes"
	"encoding/json"
	"slices"

	"hdseg/manifests"
)

// CarriedFile lies in the folder of every export, with a Carried for each picture: what the format
// has no words for, such as sources, qualities and provenance. Package ingest reads it.
const CarriedFile = "hdseg-records.jsonl"

// Carried is a line of a CarriedFile.
type Carried struct {
	Record manifests.Record `json:"record"` // with the masks that were exported
	// that readers of the format find, in its frame
	Boxes []manifests.Box `json:"boxes,omitempty"`
}

// carry remembers a picture, with the boxes that readers of the format find.
func (e *exporter) carry(p *picture, boxes []manifests.Box) {
	c := Carried{Record: *p.Record, Boxes: boxes}
	c.Record.Masks = nil
	for _, t := range p.tiers {
		if k, ok := p.MaskOf(t); ok {
			c.Record.Masks = append(c.Record.Masks, k)
		}
	}
	slices.SortFunc(c.Record.Masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
	e.carried = append(e.carried, c)
}

func (e *exporter) writeCarried() error {
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	for i := range e.carried {
		_ = j.Encode(&e.carried[i]) // texts and numbers, to memory
	}
	return e.out.write(CarriedFile, b.Bytes())
}
