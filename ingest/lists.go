package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"hdseg/manifests"
)

// WriteLists writes what a person may want to look at next to the manifest of a name: NAME.skipped.csv (record, reason, detail), in
// the order of the manifest's header, NAME.duplicates.csv (record, of, bits: how many of the 128 bits of their hashes differ,
// -1 for equal pixels) and NAME.aside.csv (code, file). All are there after every run, if only with their heads. The lists that a run of this name
// left that failed (see Failed) are removed.
func (r *Result) WriteLists(store *manifests.Store, name string) error {
	skipped := [][]string{{"record", "reason", "detail"}}
	for _, s := range r.Manifest.Skipped {
		skipped = append(skipped, []string{s.Record, s.Reason, s.Detail})
	}
	duplicates := [][]string{{"record", "of", "bits"}}
	for _, d := range r.Duplicates {
		duplicates = append(duplicates, []string{d.Record, d.Of, strconv.Itoa(d.Distance)})
	}
	aside := [][]string{{"code", "file"}}
	for _, a := range r.Aside {
		aside = append(aside, []string{a.Code, a.Name})
	}
	for i, rows := range [][][]string{skipped, duplicates, aside} {
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return err
		}
		if err := store.Replace(name+listSuffixes[i], b.Bytes()); err != nil {
			return err
		}
	}
	for _, suffix := range listSuffixes {
		file, err := store.Path(Failed(name) + suffix)
		if err != nil {
			return err
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("ingest: a list of a failed run: %w", err)
		}
	}
	return nil
}

// Failed is the name for the lists of a run that had too many skips and so wrote no manifest: beside those of the manifest of an earlier run,
// which stay as they were.
func Failed(name string) string { return name + ".failed" }

// listSuffixes are those of WriteLists.
var listSuffixes = [3]string{".skipped.csv", ".duplicates.csv", ".aside.csv"}
