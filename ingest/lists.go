package ingest

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"hdseg/manifests"
)

// WriteLists writes what a person may want to look at next to the manifest of a name: NAME.skipped.csv (record, reason, detail), in
// the order of the manifest's header, NAME.duplicates.csv (record, of, bits: how many of the 128 bits of their hashes differ,
// -1 for equal pixels) and NAME.aside.csv (code, file). All are there after every run, if only with their heads.
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
	for file, rows := range map[string][][]string{name + ".skipped.csv": skipped, name + ".duplicates.csv": duplicates, name + ".aside.csv": aside} {
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return err
		}
		if err := store.Replace(file, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
