package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hdseg/ingest"
)

// An ingestResult is what ingest prints.
type ingestResult struct {
	summary
	Manifest    string         `json:"manifest"` // "" when there were too many skips
	Records     []recordCount  `json:"records"`
	Dropped     int            `json:"dropped"`        // expected pictures that did not come
	Other       map[string]int `json:"other"`          // pictures of other classes, by source
	Repairs     map[string]int `json:"repairs"`        // read, but not in order, by reason
	Skips       string         `json:"skipped_list"`   // CSV file of what was skipped
	Duplicates  string         `json:"duplicate_list"` // CSV file of equal pictures
	Aside       []aside        `json:"aside"`          // the first files of each reason
	AsideList   string         `json:"aside_list"`     // CSV file of what was left aside
	Restored    int            `json:"restored"`       // of an own export, with its manifest data
	NotRestored int            `json:"not_restored"`   // the same, changed since
	NotFound    int            `json:"not_found"`      // listed by the export, but not there
	RestoredOf  []string       `json:"restored_of"`    // manifests of the exports
}

// An aside is a file that was left aside by rule.
type aside struct {
	Code string `json:"code"` // reason
	File string `json:"file"` // first file of that reason
}

// asideNames is how many files of each code are named on the screen.
const asideNames = 5

// firstAside picks the first names of each code; all is sorted by code.
func firstAside(all []ingest.Aside) []aside {
	out := []aside{}
	n := 0
	for i, a := range all {
		if i > 0 && a.Code != all[i-1].Code {
			n = 0
		}
		if n++; n <= asideNames {
			out = append(out, aside{a.Code, a.Name})
		}
	}
	return out
}

func (r *ingestResult) table(w io.Writer) error {
	countTable(w, r.Records)
	fmt.Fprintf(w, "\n%-10s %-28s %8d\n%-10s %-28s %8d\n%-10s %-28s %8d\n", "read", "pictures", r.Read, "kept",
		"records", r.Done, "dropped", "pictures", r.Dropped)
	for _, part := range []struct {
		name string
		n    map[string]int
	}{{"skipped", r.Skipped}, {"left aside", r.Other}, {"remarked", r.Repairs}} {
		for _, k := range slices.Sorted(maps.Keys(part.n)) {
			fmt.Fprintf(w, "%-10s %-28s %8d\n", part.name, k, part.n[k])
			if part.name == "left aside" {
				r.namesOf(w, k)
			}
		}
	}
	if len(r.RestoredOf) > 0 {
		fmt.Fprintf(w, "\nrestored %d records from %s (%d not: changed since, or their voters were not read; %d are "+
			"named there and were not found)\n", r.Restored, strings.Join(r.RestoredOf, ", "), r.NotRestored, r.NotFound)
	}
	_, err := fmt.Fprintf(w, "\nmanifest   %s\nskipped    %s\nduplicates %s\nleft aside %s\n", cmp.Or(r.Manifest,
		"none: too many were skipped"), r.Skips, r.Duplicates, r.AsideList)
	return err
}

// namesOf prints the first files of a code.
func (r *ingestResult) namesOf(w io.Writer, code string) {
	n := 0
	for _, a := range r.Aside {
		if a.Code == code {
			fmt.Fprintf(w, "%-10s   %s\n", "", a.File)
			n++
		}
	}
	if n == asideNames && r.Other[code] > n {
		fmt.Fprintf(w, "%-10s   ... and %d more\n", "", r.Other[code]-n)
	}
}
