package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// An anchor is the file anchor.json of a campaign: how far each log had come when it was written. A
// log proves the order of its events, but not that none was taken from its end, or all; the anchor
// does. It is written within a second of an event and when the campaign is closed, so that no save
// waits for it: a killed server leaves it a little behind. It also holds the digest of the plan.
type anchor struct {
	store *manifests.Store
	path  string

	mu      sync.Mutex
	heads   map[string]head  // by key; only of logs with events
	plan    manifests.Digest // of plan.json; "" of a version that did not keep it
	pending *time.Timer      // nil where the file is as heads are
	err     error            // of the last write that failed
}

// A head is the last event of a log: its number from 1, and the digest of its line.
type head struct {
	Seq int              `json:"seq"`
	Sum manifests.Digest `json:"sha256"`
}

// planKey is the plan's place among the heads: no key of an image has a slash.
const planKey = "/plan.json"

// openAnchor reads the anchor of a campaign's folder.
func openAnchor(s *manifests.Store, dir string) (*anchor, error) {
	a := &anchor{store: s, path: dir + "/anchor.json", heads: map[string]head{}}
	data, err := s.Read(a.path, "")
	if errors.Is(err, fs.ErrNotExist) { // of a version that wrote none
		return a, nil
	}
	if err == nil {
		err = format.StrictJSON(bytes.NewReader(data), &a.heads)
	}
	if h, ok := a.heads[planKey]; ok && err == nil {
		if a.plan = h.Sum; h.Sum == "" {
			err = fmt.Errorf("%s: it has no sha256", planKey)
		}
		delete(a.heads, planKey)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: put back that of a copy; without it nobody knows whether events were removed", a.path, err)
	}
	return a, nil
}

// lost tells of a log's events that some which the anchor has seen are not there.
func (a *anchor) lost(key string, events []eventlog.Event, sum manifests.Digest) error {
	h, ok := a.heads[key]
	switch {
	case !ok:
		return nil
	case len(events) < h.Seq:
		return fmt.Errorf("its log has %d events, and had %d: some were removed: put back the log of a copy", len(events), h.Seq)
	case len(events) == h.Seq && sum != h.Sum, len(events) > h.Seq && events[h.Seq].Prev != h.Sum:
		return fmt.Errorf("event %d of its log is not the one that was written: put back the log of a copy", h.Seq)
	}
	return nil
}

// planned compares the bytes of the plan, nil for none, with those that were written.
func (a *anchor) planned(data []byte) error {
	if a.plan == "" || data != nil && manifests.Sum(data) == a.plan {
		return nil
	}
	what := "it is not the plan that was written"
	if data == nil {
		what = "it is missing"
	}
	return fmt.Errorf("%s: %s: put back that of a copy; it says whose drawings are blind", path.Dir(a.path)+"/plan.json", what)
}

// keep takes the digest of the plan and writes the file.
func (a *anchor) keep(plan manifests.Digest) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plan = plan
	return a.save()
}

// note takes the head of a log; the file follows soon.
func (a *anchor) note(key string, seq int, sum manifests.Digest) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq == 0 || a.heads[key] == (head{seq, sum}) {
		return
	}
	a.heads[key] = head{seq, sum}
	if a.pending == nil {
		a.pending = time.AfterFunc(time.Second, func() { a.write() })
	}
}

// write brings the file up to date.
func (a *anchor) write() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pending == nil {
		return a.err
	}
	a.pending.Stop()
	a.pending = nil
	a.err = a.save()
	return a.err
}

// save writes the file as it is now.
func (a *anchor) save() error {
	all := maps.Clone(a.heads)
	if a.plan != "" {
		all[planKey] = head{Sum: a.plan}
	}
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return a.store.Replace(a.path, append(data, '\n'))
}

// CheckLogs compares the logs of all campaigns in a store with their anchors. It returns the store
// paths of all masks that they name, which are in no manifest before they are applied, and what is
// wrong, each with the campaign and the image: then masks may be missing.
func CheckLogs(s *manifests.Store) (masks map[string]bool, faults []error) {
	masks = map[string]bool{}
	campaigns, err := entries(s, "annotate")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return masks, []error{err}
	}
	for _, d := range campaigns {
		dir := "annotate/" + d.Name()
		if st, err := os.Stat(filepath.Join(s.Dir(), filepath.FromSlash(dir))); err == nil && !st.IsDir() {
			continue
		}
		faults = append(faults, checkLogs(s, dir, masks)...)
	}
	return masks, faults
}

// checkLogs is CheckLogs of one campaign, whose masks are added to masks.
func checkLogs(s *manifests.Store, dir string, masks map[string]bool) (faults []error) {
	a, err := openAnchor(s, dir)
	if err != nil {
		return []error{err}
	}
	planned, err := s.Read(dir+"/plan.json", "")
	if errors.Is(err, fs.ErrNotExist) {
		planned, err = nil, nil
	}
	if err = errors.Join(err, a.planned(planned)); err == nil && planned != nil {
		_, err = parsePlan(dir+"/plan.json", planned)
	}
	if err != nil {
		faults = append(faults, err)
	}
	logs, err := entries(s, dir+"/events")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
		if planned != nil && len(a.heads) == 0 {
			err = fmt.Errorf("%s/events: the folder of its logs is gone: put back that of a copy, or make the folder if nobody "+
				"has drawn in this campaign", dir)
		}
	}
	if err != nil {
		faults = append(faults, err)
	}
	seen := map[string]bool{}
	for _, d := range logs {
		key, ok := strings.CutSuffix(d.Name(), ".jsonl")
		if !ok {
			continue
		}
		seen[key] = true
		file := dir + "/events/" + d.Name()
		events, sum, err := eventlog.Read(filepath.Join(s.Dir(), filepath.FromSlash(file)))
		for _, e := range events {
			if e.Path != "" {
				masks[e.Path] = true
			}
		}
		if err == nil {
			err = a.lost(key, events, sum)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file, err))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.heads)) {
		if !seen[key] {
			faults = append(faults, fmt.Errorf("%s/events/%s.jsonl: %w", dir, key, a.lost(key, nil, "")))
		}
	}
	return faults
}

// entries lists a folder of the store.
func entries(s *manifests.Store, dir string) ([]fs.DirEntry, error) {
	return os.ReadDir(filepath.Join(s.Dir(), filepath.FromSlash(dir)))
}
