package manifests

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkSums holds SHA256SUMS against a manifest, whose index has the digest sum: the list must name
// all of its files. It is the only witness of what a header said
// when it was written. known are digests found without the manifest; left are the listed files that
// nothing else has looked at.
func checkSums(s *Store, name string, sum Digest, m *Manifest, parts []part,
	known map[string]Digest) (left map[string]Digest, faults []Fault) {
	fail := func(record, format string, args ...any) {
		faults = append(faults, fault(record, FaultSums, format, args...))
	}
	data, err := s.Read(SumsFile, "")
	if errors.Is(err, fs.ErrNotExist) {
		fail("", "%s", Unheld(s, name))
		return nil, faults
	}
	var listed map[string]Digest
	if err == nil {
		listed, err = ParseSums(data)
	}
	if err != nil {
		fail("", "%v", err)
		return nil, faults
	}
	want := map[string]bool{}
	hold := func(record, p string, d Digest) {
		want[p] = true
		switch got, ok := listed[p]; {
		case !ok:
			fail(record, "%s: it has no line for %s", SumsFile, p)
		case got != d:
			fail(record, "%s: %s: got sha256 %s, want the manifest's %s", SumsFile, p, got.Short(), d.Short())
		}
	}
	index := name + ".yaml"
	want[index] = true
	switch got, ok := listed[index]; {
	case !ok: // of its other files there would be no end
		fail("", "%s", Unheld(s, name))
		return nil, faults
	case got != sum:
		faults = append(faults, notListed(index))
	}
	for _, p := range parts {
		hold("", p.Path, p.SHA256)
	}
	for i := range m.Records {
		r := &m.Records[i]
		if validFile(r.Image.Path) {
			hold(r.ID, r.Image.Path, r.Image.SHA256)
		}
		for _, k := range r.Masks {
			if validFile(k.Path) {
				hold(r.ID, k.Path, k.SHA256)
			}
		}
	}
	// which may have been written without a list
	for _, p := range slices.Sorted(maps.Keys(known)) {
		if _, ok := listed[p]; ok && !want[p] {
			hold("", p, known[p])
		}
	}
	_, err = os.Stat(filepath.Join(s.dir, StagesDir))
	published := errors.Is(err, fs.ErrNotExist) // without its stages
	maps.DeleteFunc(listed, func(p string, _ Digest) bool { return want[p] || published && strings.HasPrefix(p, StagesDir+"/") })
	return listed, faults
}

func notListed(index string) Fault {
	return fault("", FaultSums, "%s: its bytes are not those that %s lists: it was edited after it was written, or the list is of "+
		"another time: restore it from a copy of the data set, or run the command again that wrote it; do not regenerate the list",
		index, SumsFile)
}

// checkIndex holds an index, whose digest nothing else has, against its line in SHA256SUMS, if
// there is one: Unheld says when there is none.
func checkIndex(s *Store, index string, sum Digest) []Fault {
	if got, _ := listedSum(s, index); got != "" && got != sum {
		if data, err := s.Read(index, sum); err == nil && Sum(unixLines(data)) == got {
			return []Fault{fault("", FaultSums, "%s: %s", index, lineEnds)}
		}
		return []Fault{notListed(index)}
	}
	return nil
}

// listedSum finds the digest of a path in SHA256SUMS, "" without a line. It holds a line at a time:
// the 34 MB of DogSeg would be an eighth of what reading it takes.
func listedSum(s *Store, p string) (Digest, error) {
	f, _, err := openRegular(filepath.Join(s.dir, SumsFile))
	if err != nil {
		return "", err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		if line, ok := bytes.CutSuffix(in.Bytes(), []byte("  "+p)); ok && len(line) == hexDigits {
			return Digest(line), nil
		}
	}
	return "", in.Err()
}

// Unheld says why the index of a manifest cannot be held against its line in SHA256SUMS, so that
// nobody sees an edit of it, and what to do; "" if it can.
func Unheld(s *Store, name string) string {
	const remedy = "restore the list from a copy of the data set, or run the command that wrote the manifest again"
	sum, err := listedSum(s, name+".yaml")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s is missing, so an edit of %s.yaml cannot be found: %s", SumsFile, name, remedy)
	case err != nil:
		return fmt.Sprintf("%s cannot be read, so an edit of %s.yaml cannot be found: %v: %s", SumsFile, name, err, remedy)
	case sum == "":
		return fmt.Sprintf("%s: it has no line for %s.yaml: the list is of another manifest, or a line was taken out, so an edit cannot "+
			"be found: %s", SumsFile, name, remedy)
	}
	return ""
}

// checkListed holds files against their digests in SHA256SUMS. What no manifest names is surplus.
func checkListed(ctx context.Context, s *Store, listed map[string]Digest, opts CheckOptions) (faults []Fault, err error) {
	paths := slices.Sorted(maps.Keys(listed))
	var bad []string // the path of each fault
	err = Each(ctx, opts.Workers, len(paths), func(_ context.Context, i int) (Digest, error) { return s.sum(paths[i]) },
		func(i int, got Digest, err error) error {
			p, want, what := paths[i], listed[paths[i]], ""
			switch {
			case errors.Is(err, fs.ErrNotExist):
				what = fmt.Sprintf("it has a line for %s, which is not there", p)
			case err != nil:
				what = fmt.Sprintf("it has a line for %s: %v", p, err)
			case got != want:
				what = fmt.Sprintf("%s: the file has sha256 %s, want %s as listed", p, got.Short(), want.Short())
			default:
				return ctx.Err()
			}
			bad, faults = append(bad, p), append(faults, fault("", FaultSums, "%s: %s", SumsFile, what))
			return ctx.Err()
		})
	if len(bad) > 0 && err == nil {
		over := surplus(s, bad, opts.Spare)
		for i, p := range bad {
			if over[p] {
				faults[i].Kind, faults[i].Message = FaultSurplus, faults[i].Message+": no manifest names it"
			}
		}
	}
	return faults, err
}

// has tells whether a file is there, as far as this folder can tell: where others are fetched when
// they are read, it is.
func (s *Store) has(p string) bool {
	name, err := s.Path(p)
	if err != nil {
		return false
	}
	_, err = os.Lstat(name)
	return err == nil || s.fetch != nil
}

// checkParts reports what lies in NAME.d and is no part. A whole part of an earlier index is no
// fault: a bucket keeps it for readers of that index. Unnamed counts it.
func checkParts(s *Store, name string, parts []part) (faults []Fault) {
	named := map[string]bool{}
	for _, p := range parts {
		named[p.Path] = true
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, filepath.FromSlash(name)+".d"))
	if err != nil {
		return nil // the parts are missing
	}
	for _, e := range entries {
		p := name + ".d/" + e.Name()
		if named[p] {
			continue
		}
		if data, err := s.Read(p, ""); err != nil || !strings.HasSuffix(p, "."+Sum(data).Short()+".yaml") {
			faults = append(faults, fault("", FaultSurplus, "%q: %s.yaml names no such part", p, name))
		}
	}
	return faults
}

// ReadSums returns what SHA256SUMS lists, nothing if it is missing or cannot be read.
func ReadSums(s *Store) map[string]Digest {
	data, _ := s.Read(SumsFile, "")
	sums, _ := ParseSums(data)
	return sums
}

// Listed tells whether sums, as ReadSums returned them, have the right line for every file of a
// manifest.
func Listed(s *Store, name string, m *Manifest, sums map[string]Digest) (bool, error) {
	want, err := storedLines(s, name, m)
	return err == nil && !slices.ContainsFunc(want, func(l sumLine) bool { return sums[*l.path] != *l.sum }), err
}
