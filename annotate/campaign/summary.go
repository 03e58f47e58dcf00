package campaign

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hdseg/annotate/eventlog"
)

// A Summary says what a campaign's folder holds, without its manifest.
type Summary struct {
	Dataset    string
	BlindShare float64
	BlindStart string
	Images     int            // with a log that holds events
	Events     int            // in all logs
	States     map[string]int // masks by the state that they are in: edited, submitted, ...
	People     []string       // who did something, sorted
	From, To   string         // times of the first and the last event, RFC 3339
}

// Summarize reads the folder of a campaign.
func Summarize(dir string) (*Summary, error) {
	data, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return nil, err
	}
	p, err := parsePlan("plan.json", data)
	if err != nil {
		return nil, err
	}
	s := &Summary{Dataset: p.Dataset, BlindShare: p.Share, BlindStart: p.Start, States: map[string]int{}}
	err = eachLog(dir, "events/*.jsonl", func(it *Item) {
		if len(it.events) > 0 {
			s.Images++
		}
		s.Events += len(it.events)
		for _, e := range it.events {
			if !slices.Contains(s.People, e.By) && e.By != Serving.Name {
				s.People = append(s.People, e.By)
			}
			if s.From == "" || e.At < s.From {
				s.From = e.At
			}
			s.To = max(s.To, e.At)
		}
		for _, l := range it.lines {
			s.States[string(l.State)]++
		}
	})
	slices.Sort(s.People)
	return s, err
}

// eachLog reads the logs of a folder that a pattern names, and calls visit with what each says of
// its item.
func eachLog(dir, pattern string, visit func(*Item)) error {
	logs, err := fs.Glob(os.DirFS(dir), pattern)
	for _, log := range logs {
		events, _, err := eventlog.Read(filepath.Join(dir, log))
		it := &Item{lines: map[string]*Line{}}
		for i := 0; err == nil && i < len(events); i++ {
			err = it.fold(events[i])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(log), err)
		}
		visit(it)
	}
	return err
}
