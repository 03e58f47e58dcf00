package manifests

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// relations lists what is wrong between the records of m, none of which can be seen in one record
// alone: leaks between the splits, masks that derive from test records or from records that are not
// there, masks without provenance, records without what their tier needs. complete tells that m has
// all the records of the manifest.
func (m *Manifest) relations(complete bool) []Fault {
	var faults []Fault
	complete = complete && m.Stage != StageChoice
	rep := func(r *Record, kind, format string, args ...any) {
		faults = append(faults, fault(r.ID, kind, format, args...))
	}
	train, test := map[string]*Record{}, map[string]*Record{}
	of := map[Digest]*Record{} // training record by the digest of its file, and of its pixels
	for i := range m.Records {
		r := &m.Records[i]
		if r.Split == Test {
			test[r.ID] = r
			continue
		}
		train[r.ID] = r
		if r.Image.SHA256 != "" {
			of[r.Image.SHA256] = r
		}
		if r.Image.Pixels != "" {
			of[r.Image.Pixels] = r
		}
	}
	first := map[shown]*Record{}
	for i := range m.Records {
		r := &m.Records[i]
		if r.Image.SHA256 != "" && !noted(r) {
			k := shown{r.Split, r.Image.SHA256, r.Image.Pixels}
			if o := first[k]; o == nil {
				first[k] = r
			} else if o.ID != r.ID && !objects(o, r) {
				rep(r, FaultTwice, "the image file is that of %s record %s, and no note says so", o.Split, o.ID)
			}
		}
		if r.Split == Test {
			if train[r.ID] != nil {
				rep(r, FaultLeak, "the id is in train and in test")
			}
			if o := of[r.Image.SHA256]; o != nil {
				rep(r, FaultLeak, "the image file of this test record is that of training record %s", o.ID)
			} else if o := of[r.Image.Pixels]; o != nil {
				rep(r, FaultLeak, "the pixels of this test record are those of training record %s", o.ID)
			}
		}
		checkTier(r, rep)
		for j := range r.Masks {
			checkProvenance(r, &r.Masks[j], train, test, complete, rep)
		}
	}
	return faults
}

// shown is what a record shows and where. One file can be read as two pictures, one turned upright
// by its EXIF tag and one not.
type shown struct {
	split        Split
	file, pixels Digest
}

// What begins the note of an image that has the pixels of another record's, or nearly: the record
// follows, as SPLIT/ID.
const (
	DuplicateNote     = "duplicate_of:"
	NearDuplicateNote = "near_duplicate_of:"
)

func noted(r *Record) bool {
	return slices.ContainsFunc(r.Image.Notes, func(n string) bool { return strings.HasPrefix(n, DuplicateNote) })
}

// objects tells whether two records are objects of one picture: they share its file, which has the
// name that both ids begin with.
func objects(a, b *Record) bool {
	stem, _, _ := strings.Cut(path.Base(a.Image.Path), "."+a.Image.SHA256.Short()+".")
	return a.Image.Path == b.Image.Path && strings.HasPrefix(a.ID, stem) && strings.HasPrefix(b.ID, stem)
}

// checkTier reports a record that lacks what its tier needs, and a test record with masks that a
// program made.
func checkTier(r *Record, rep func(r *Record, kind, format string, args ...any)) {
	if r.Split == Test {
		if r.Tier != Manual {
			rep(r, FaultTestTier, "a test record of tier %s, want manual", r.Tier)
		}
		for _, k := range r.Masks {
			if k.Tier != Manual {
				rep(r, FaultTestTier, "a test record with a mask of tier %s, want manual only", k.Tier)
			}
		}
	}
	switch r.Tier {
	case BBox:
		if len(r.Boxes) == 0 {
			rep(r, FaultTier, "tier bbox without a box")
		}
	case Label, None:
	default:
		if _, ok := r.MaskOf(r.Tier); !ok {
			rep(r, FaultTier, "tier %s without a mask of that tier", r.Tier)
		}
	}
}

func checkProvenance(r *Record, k *Mask, train, test map[string]*Record, complete bool,
	rep func(r *Record, kind, format string, args ...any)) {
	name := fmt.Sprintf("%s mask, revision %d", k.Tier, k.Revision)
	if k.WasGeneratedBy == "" {
		rep(r, FaultProvenance, "%s: wasGeneratedBy is missing", name)
	}
	if len(k.Used) == 0 {
		rep(r, FaultProvenance, "%s: used is missing: want the digests of what it was made from", name)
	}
	voted := k.Transferred()
	if voted && len(k.Used) > 0 && !slices.Contains(k.Used, r.Image.SHA256) {
		rep(r, FaultProvenance, "%s: used does not name the image's digest", name)
	}
	if voted && len(k.WasDerivedFrom) == 0 && k.Status == "" {
		rep(r, FaultProvenance, "%s: wasDerivedFrom is missing: want the records that voted", name)
	}
	checkActivity(r, k, func(format string, args ...any) {
		rep(r, FaultProvenance, "%s: "+format, append([]any{name}, args...)...)
	})
	for _, id := range k.WasDerivedFrom {
		switch o := train[id]; {
		case id == r.ID && !voted: // an earlier mask of the same record was corrected
		case test[id] != nil:
			rep(r, FaultLeakProvenance, "%s: derived from test record %s", name, id)
		case id == r.ID:
			rep(r, FaultProvenance, "%s: derived from the record itself", name)
		case o == nil && complete:
			rep(r, FaultProvenance, "%s: derived from %s, which is not in the manifest", name, id)
		case o != nil && len(o.Masks) == 0:
			rep(r, FaultProvenance, "%s: derived from %s, which has no mask", name, id)
		}
	}
}

// checkActivity reports a mask that its activity does not make: people's masks have a name and a
// tier of their own, and only transfer derives one record's mask from others.
func checkActivity(r *Record, k *Mask, rep func(format string, args ...any)) {
	by, drawn := k.WasGeneratedBy, k.WasGeneratedBy == AnnotateActivity || strings.HasPrefix(k.WasGeneratedBy, AnnotateActivity+"/")
	switch {
	case k.Transferred() && by != TransferActivity+string(k.Tier):
		rep("generated by %s, want %s", by, TransferActivity+string(k.Tier))
	case drawn && (k.Tier == BBox || k.Tier == Label):
		rep("generated by %s, which makes masks of tier manual or external", by)
	case drawn && k.WasAttributedTo == "":
		rep("generated by %s, and wasAttributedTo is missing: want who drew it", by)
	case by == AnnotateActivity && k.GeneratedAtTime == "":
		rep("generated by %s, and generatedAtTime is missing: want when it was drawn", by)
	case !k.Transferred() && by != "" && slices.ContainsFunc(k.WasDerivedFrom, func(id string) bool { return id != r.ID }):
		rep("generated by %s and derived from other records, which only %s does", by, TransferActivity+string(k.Tier))
	}
}
