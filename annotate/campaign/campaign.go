// Package campaign is the state of a data set's annotation: who drew which revision of which mask,
// what became of it, and what was said about it. Everything is derived from one event log per
// image; an acknowledged save is on the disk.
package campaign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// Options choose what Open does with a campaign that does not exist yet.
type Options struct {
	// share of the images that two annotators draw without seeing one another's, 0..1; default 0
	Blind float64
	// StartEmpty or StartProposal; "" is StartEmpty, or what the campaign was begun with
	BlindStart string
	People     []Person // of whom the annotators are paired
	// reviewers may accept what they drew themselves; default false (ours): two people see every
	// mask
	SelfReview bool
	Now        func() time.Time

	// look at a campaign that exists, while it may be served: its methods that write must not be
	// called
	ReadOnly bool
}

// What blind annotators begin with. Two people who correct one machine's mask agree where neither
// looked.
const (
	StartEmpty    = "empty"    // nothing: no mask of the manifest is shown to them
	StartProposal = "proposal" // the manifest's mask that no person drew, if there is one
)

// A Campaign is the annotation of one manifest's records. Its methods may be called from any number
// of goroutines; one process has it open at a time.
type Campaign struct {
	Name     string
	Manifest *manifests.Manifest
	Digest   manifests.Digest // of the manifest's index
	Store    *manifests.Store

	BlindStart string   // StartEmpty or StartProposal
	SelfReview bool     // reviewers may accept what they drew themselves
	Warnings   []string // records that cannot be worked on, and why

	people []Person
	items  []*Item
	byKey  map[string]*Item
	now    func() time.Time
	unlock func()
	anchor *anchor

	changes  atomic.Int64 // events since the campaign was opened
	learned  atomic.Pointer[Learned]
	claiming sync.Mutex
	claims   map[string]claim // by person
}

// plan is what a campaign decides once and keeps: the file plan.json.
type plan struct {
	Schema  int                 `json:"schema"`
	Dataset string              `json:"dataset"`
	Share   float64             `json:"blindShare"`
	Start   string              `json:"blindStart"`
	Blind   map[string][]string `json:"blind"` // record id: its two annotators
}

// Dir is the folder of a campaign's logs, relative to the store.
func Dir(name string) string { return "annotate/" + Key(name) }

// Open opens the campaign of a manifest, which is made if it does not exist: the logs lie in the
// store, in annotate/NAME. Whether there are blind images, and who draws them, is decided when the
// campaign is made, and anew where options ask for it before anybody has done anything.
func Open(s *manifests.Store, name string, m *manifests.Manifest, digest manifests.Digest, o Options) (*Campaign, error) {
	c := &Campaign{Name: name, Manifest: m, Digest: digest, Store: s, SelfReview: o.SelfReview, people: o.People,
		byKey: map[string]*Item{}, now: o.Now, claims: map[string]claim{}}
	if c.now == nil {
		c.now = time.Now
	}
	dir, err := s.Path(Dir(name))
	if err != nil {
		return nil, err
	}
	if !o.ReadOnly {
		if err := os.MkdirAll(filepath.Join(dir, "events"), 0o777); err != nil {
			return nil, err
		}
		c.unlock, err = manifests.TryLock(filepath.Join(dir, "lock"))
		if locked := (*manifests.LockedError)(nil); errors.As(err, &locked) {
			return nil, fmt.Errorf("%s: another hdseg (%s) serves or applies this campaign: wait until it ends, or stop it", dir, locked.Owner)
		} else if err != nil {
			return nil, err
		}
	}
	var p *plan
	if c.anchor, err = openAnchor(s, Dir(name)); err == nil {
		p, err = c.plan(o)
	}
	if err == nil {
		c.BlindStart = p.Start
		err = c.load(dir, p, o.ReadOnly)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Browse returns the records of a manifest to look at: nothing of a campaign is read, and nothing
// can be changed. With model, which may be nil, the worst of its pictures come first.
func Browse(s *manifests.Store, m *manifests.Manifest, digest manifests.Digest, model *Compared) *Campaign {
	c := &Campaign{Name: m.Dataset, Manifest: m, Digest: digest, Store: s, SelfReview: true, byKey: map[string]*Item{}, now: time.Now}
	for i := range m.Records {
		r := &m.Records[i]
		it := &Item{Key: Key(r.ID), Record: r, viewed: true, lines: map[string]*Line{}}
		if c.byKey[it.Key] != nil { // before split, training may have it too
			it.Key = Key(r.ID + " " + string(r.Split))
		}
		if model != nil && r.Split == manifests.Test {
			if iou, ok := model.IoU[r.ID]; ok {
				it.iou, it.model = &iou, model
			}
		}
		c.items, c.byKey[it.Key] = append(c.items, it), it
	}
	return c
}

// Close lets another process open the campaign.
func (c *Campaign) Close() {
	if c.unlock == nil {
		return
	}
	if c.anchor != nil {
		if err := c.anchor.write(); err != nil {
			c.Warnings = append(c.Warnings, err.Error())
		}
	}
	c.unlock()
}

// plan reads the campaign's plan or makes it.
func (c *Campaign) plan(o Options) (*plan, error) {
	file := Dir(c.Name) + "/plan.json"
	data, err := c.Store.Read(file, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := c.anchor.planned(data); err != nil {
		return nil, err
	}
	if err != nil && o.ReadOnly {
		return nil, fmt.Errorf("there is no campaign %s in this data set: hdseg annotate serve begins one", c.Name)
	}
	if err != nil {
		return c.makePlan(file, o)
	}
	p, err := parsePlan(file, data)
	if err != nil {
		return nil, err
	}
	if !o.ReadOnly && (o.Blind != 0 || o.BlindStart != "") {
		if begun, err := c.begun(); err != nil {
			return nil, err
		} else if !begun {
			return c.makePlan(file, o)
		}
	}
	if o.Blind != 0 && o.Blind != p.Share {
		return nil, fmt.Errorf("campaign %s was begun with a blind share of %g: got %g; name another campaign to begin anew",
			c.Name, p.Share, o.Blind)
	}
	if o.BlindStart != "" && o.BlindStart != p.Start {
		return nil, fmt.Errorf("campaign %s was begun with blind drawings from %s: got %s; name another campaign to begin anew",
			c.Name, p.Start, o.BlindStart)
	}
	if c.anchor.plan == "" && !o.ReadOnly {
		err = c.anchor.keep(manifests.Sum(data))
	}
	return p, err
}

// parsePlan reads the text of a plan, the file file.
func parsePlan(file string, data []byte) (*plan, error) {
	p := &plan{Start: StartProposal} // what campaigns did that do not say
	if err := format.StrictJSON(bytes.NewReader(data), p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if p.Schema != 1 {
		return nil, fmt.Errorf("%s: got schema %d, want 1", file, p.Schema)
	}
	return p, nil
}

// makePlan decides what is blind, and keeps it.
func (c *Campaign) makePlan(file string, o Options) (*plan, error) {
	p := &plan{Schema: 1, Dataset: c.Manifest.Dataset, Share: o.Blind, Start: cmp.Or(o.BlindStart, StartEmpty)}
	var err error
	if p.Blind, err = drawBlind(c.Manifest, o); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	// else a kill between the two leaves a plan that nobody takes
	if err == nil && c.anchor.plan != "" {
		err = c.anchor.keep("")
	}
	data = append(data, '\n')
	if err == nil {
		err = c.Store.Replace(file, data)
	}
	if err == nil {
		err = c.anchor.keep(manifests.Sum(data))
	}
	return p, err
}

// begun tells whether anybody has done more than look: until then the campaign can be planned anew.
func (c *Campaign) begun() (bool, error) {
	dir, err := c.Store.Path(Dir(c.Name) + "/events")
	if err != nil {
		return false, err
	}
	entries, err := os.ReadDir(dir)
	if len(entries) < len(c.anchor.heads) { // logs are gone
		return true, nil
	}
	for _, e := range entries {
		events, _, err := eventlog.Read(filepath.Join(dir, e.Name()))
		did := func(e eventlog.Event) bool { return e.Kind != eventlog.Worked }
		if err != nil || slices.ContainsFunc(events, did) {
			return true, nil // Open tells of a log that cannot be read
		}
	}
	return false, err
}

func (c *Campaign) load(dir string, p *plan, readOnly bool) error {
	for i := range c.Manifest.Records {
		r := &c.Manifest.Records[i]
		it := &Item{Key: Key(r.ID), Record: r, Blind: p.Blind[r.ID], bare: p.Start == StartEmpty, selfReview: c.SelfReview,
			learned: &c.learned, lines: map[string]*Line{}}
		if c.byKey[it.Key] != nil {
			return fmt.Errorf("campaign %s: two records have the id %q: run split first", c.Name, r.ID)
		}
		var events []eventlog.Event
		var sum manifests.Digest
		var err error
		if readOnly {
			events, sum, err = eventlog.Read(logFile(dir, it.Key))
		} else if it.log, events, err = eventlog.Open(logFile(dir, it.Key)); err == nil {
			_, sum = it.log.Head()
		}
		if err == nil {
			err = c.anchor.lost(it.Key, events, sum)
		}
		if err == nil && !readOnly {
			it.wrote = func() {
				n, sum := it.log.Head()
				c.anchor.note(it.Key, n, sum)
				it.changed = int(c.changes.Add(1))
			}
			it.wrote()
		}
		if err != nil {
			err = fmt.Errorf("%s: left out: its event log cannot be used: %w", r.ID, err)
		}
		for _, e := range events {
			if fault := it.fold(e); fault != nil {
				err = fmt.Errorf("%s: left out: its event log cannot be used: %s: %w", r.ID, logFile(dir, it.Key), fault)
				break
			}
			if e.Image != "" && e.Image != r.Image.SHA256 {
				err = fmt.Errorf("%s: drawn on another picture: got image %s, want %s", r.ID, r.Image.SHA256.Short(), e.Image.Short())
			}
		}
		if err != nil {
			c.Warnings = append(c.Warnings, err.Error())
			continue
		}
		c.items, c.byKey[it.Key] = append(c.items, it), it
	}
	return nil
}

func logFile(dir, key string) string { return filepath.Join(dir, "events", key+".jsonl") }

// Item returns the item of a key; ErrNotFound if there is none.
func (c *Campaign) Item(key string) (*Item, error) {
	if it := c.byKey[key]; it != nil {
		return it, nil
	}
	return nil, ErrNotFound
}

// with calls f with an item, locked, and the line of it that a person works on. Every change and
// every view begins here.
func (c *Campaign) with(p Person, key string, f func(*Item, *Line) error) error {
	it, err := c.Item(key)
	if err != nil {
		return err
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	name, err := it.lineOf(p)
	if err != nil {
		return err
	}
	return f(it, it.line(name))
}

// change is with for what changes the line: it returns the line as it is then.
func (c *Campaign) change(p Person, key string, f func(*Item, *Line) error) (out Line, err error) {
	err = c.with(p, key, func(it *Item, l *Line) error {
		if err := f(it, l); err != nil {
			return err
		}
		out = l.copy()
		return nil
	})
	return out, err
}

// stamp begins an event.
func (c *Campaign) stamp(p Person, kind, line string) eventlog.Event {
	return eventlog.Event{At: c.now().UTC().Format("2006-01-02T15:04:05.000Z07:00"), By: p.Name, Kind: kind, Line: line,
		Tool: "hdseg@" + manifests.Version}
}

// Key is the name of an id in addresses and files.
func Key(id string) string { return manifests.FileKey(id) }
