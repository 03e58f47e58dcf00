package manifests

import "fmt"

// An Explanation says where a record's masks come from, down to what people drew.
type Explanation struct {
	ID     string   `json:"id"`
	Record *Record  `json:"record,omitempty"` // nil: not in the manifest
	Masks  []Origin `json:"masks,omitempty"`  // as in Record
	Above  bool     `json:"above,omitempty"`  // explained further up, without masks here
	Skips  []Skip   `json:"skips,omitempty"`  // what was left out under this id, and why
}

// An Origin is one mask with the explanations of the records that it derives from, strongest first.
type Origin struct {
	Mask Mask           `json:"mask"`
	From []*Explanation `json:"from,omitempty"`
}

// Why explains the record of that id: for each mask its provenance and the records that voted, each
// explained in turn. Before the split stage there may be one in train and one in test. It is an
// error if there is neither a record nor a skip of that id.
func Why(m *Manifest, id string) ([]*Explanation, error) {
	byID := map[string][]*Record{}
	for i := range m.Records {
		r := &m.Records[i]
		byID[r.ID] = append(byID[r.ID], r)
	}
	var skips []Skip
	for _, k := range m.Skipped {
		if k.Record == id {
			skips = append(skips, k)
		}
	}
	var out []*Explanation
	for _, r := range byID[id] {
		x := explain(r, byID, map[*Record]bool{})
		x.Skips = skips
		out = append(out, x)
	}
	if len(out) == 0 && len(skips) > 0 {
		out = []*Explanation{{ID: id, Skips: skips}}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no record %q in %s (%s)", id, m.Dataset, m.Stage)
	}
	return out, nil
}

func explain(r *Record, byID map[string][]*Record, seen map[*Record]bool) *Explanation {
	x := &Explanation{ID: r.ID, Record: r}
	if seen[r] {
		x.Above = true
		return x
	}
	seen[r] = true
	for _, k := range r.Masks {
		o := Origin{Mask: k}
		for _, id := range k.WasDerivedFrom {
			if len(byID[id]) == 0 {
				o.From = append(o.From, &Explanation{ID: id})
			}
			for _, s := range byID[id] {
				o.From = append(o.From, explain(s, byID, seen))
			}
		}
		x.Masks = append(x.Masks, o)
	}
	return x
}
