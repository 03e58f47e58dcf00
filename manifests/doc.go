// Package manifests is the narrow waist of hdseg: everything that stages exchange is a
// Manifest of Records, and bytes in a Store named by their Digest.
//
// A stage reads one manifest and writes a new one whose Header names its parent's
// digest, its configuration's digest, the tool's version and the seed. It never edits
// its input, so stages compose in any order, a run resumes, and a line of a results
// table can be traced to the bytes it came from.
//
// Write and Read keep a manifest in a Store as an index (NAME.yaml) and parts
// (NAME.d/0000.DIGEST.yaml, ...) in a canonical form: layout.go says which keys there are and in
// which order, value.go and block.go how each kind of value is written, scanned and decoded. A
// part's name changes with its bytes, so that an index and its parts always agree, also for readers
// that know nothing of the locks of a Store. schema.json describes the same for other programs
// (JSON Schema, draft 2020-12); what it cannot say (order, digests, boxes inside their image) Read
// and Check verify.
// Check derives every invariant again; Tallies, Diff, Why and Lineage answer questions; Each is the
// loop over records that every stage runs.
package manifests

import (
	"runtime/debug"
	"sync"
)

// Version is the version of hdseg. It changes when the same input may give other bytes.
const Version = "0.3.0"

// Revision returns the commit that the program was built from, "+" behind it if files had been
// changed; "" if unknown. It is in no bytes that builds of equal input share.
func Revision() string { return built() }

var built = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return revision(info.Settings)
})

func revision(settings []debug.BuildSetting) (r string) {
	changed := ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			r = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if r == "" {
		return ""
	}
	return r + changed
}
