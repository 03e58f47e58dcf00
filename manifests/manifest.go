package manifests

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Schema is the version of the YAML layout that this program writes and reads.
const Schema = 1

// PartRecords is the most that one part file holds: it fits in memory also as nodes of yaml.v3.
const PartRecords = 5000

// A Manifest is a Header and its records, sorted by Record.Compare.
type Manifest struct {
	Header
	Records []Record
}

// A Header says what a manifest is about and which activity wrote it.
type Header struct {
	Schema  int    `json:"schema"`  // version of the format
	Dataset string `json:"dataset"` // horseseg, dogseg, ...
	Class   Class  `json:"class"`
	Stage   string `json:"stage"`          // ingest, transfer, split, annotate, ...
	Tool    string `json:"tool,omitempty"` // hdseg
	Version string `json:"version,omitempty"`
	Config  Digest `json:"config,omitempty"` // of the stage's canonical options
	Parent  Digest `json:"parent,omitempty"` // of the index this was made from, or ""
	Seed    uint64 `json:"seed"`
	Skipped []Skip `json:"skipped,omitempty"` // what the stage left out, sorted by (Record, Reason)

	// Settings are the stage's options as canonical YAML with the digest Config; "" if unknown.
	Settings string `json:"settings,omitempty"`
}

// Configure notes the settings of the stage that makes a manifest, as canonical YAML.
func (h *Header) Configure(settings []byte) {
	h.Config, h.Settings = Sum(settings), string(settings)
}

// StageChoice is the stage of a manifest of some of its parent's records: those that voted may be
// elsewhere.
const StageChoice = "choice"

// A Class is the figure of a data set.
type Class struct {
	Name    string   `json:"name,omitempty"`    // horse
	Synsets []string `json:"synsets,omitempty"` // WordNet ids
	VOC     int      `json:"voc,omitempty"`     // index in SegmentationClass masks
}

// A Skip is a record or file that a stage could not use.
type Skip struct {
	Record string `json:"record"`           // id, or archive!member where no id is known
	Reason string `json:"reason"`           // a short code: corrupt_image, missing_mask, ...
	Detail string `json:"detail,omitempty"` // one sentence for people
}

// Compare orders skips as manifests keep them: by record, reason and detail.
func (k *Skip) Compare(o *Skip) int {
	return cmp.Or(strings.Compare(k.Record, o.Record), strings.Compare(k.Reason, o.Reason), strings.Compare(k.Detail, o.Detail))
}

// A Count is the number of images of one split that have one tier.
type Count struct {
	Split  Split `json:"split"`
	Tier   Tier  `json:"tier"`
	Images int   `json:"images"`
}

// Counts tallies a record once under each of its Tiers; sorted train before test, then by tier.
func (m *Manifest) Counts() []Count {
	var out []Count
	var ts []Tier
	for _, s := range []Split{Train, Test} {
		n := map[Tier]int{}
		for i := range m.Records {
			if r := &m.Records[i]; r.Split == s {
				ts = r.appendTiers(ts)
				for _, t := range ts {
					n[t]++
				}
			}
		}
		for _, t := range slices.Sorted(maps.Keys(n)) {
			out = append(out, Count{s, t, n[t]})
		}
	}
	return out
}
