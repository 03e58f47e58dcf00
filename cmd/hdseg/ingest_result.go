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
	Manifest string        `json:"manifest"` // "" when there were too many skips
	Records  []recordCount `json:"records"`
	// As in ingest.Result; of Aside the first files of each code. Lists are files.
	Dropped     int            `json:"dropped"`
	Other       map[string]int `json:"other"`
	Repairs     map[string]int `json:"repairs"`
	Skips       string         `json:"skipped_list"`
	Duplicates  string         `json:"duplicate_list"`
	Aside       []aside        `json:"aside"`
	AsideList   string         `json:"aside_list"`
	Restored    int            `json:"restored"`
	NotRestored int            `json:"not_restored"`
	NotFound    int            `json:"not_found"`
	RestoredOf  []string       `json:"restored_of"`
}

// An aside is a file that was left aside by rule.
type aside struct {
	Code string `json:"code"`
	File string `json:"file"`
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
