package campaign

import (
	"fmt"
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
	logs, err := filepath.Glob(filepath.Join(dir, "events", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, log := range logs {
		events, err := eventlog.Read(log)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(log), err)
		}
		if len(events) > 0 {
			s.Images++
		}
		it := &Item{lines: map[string]*Line{}}
		for _, e := range events {
			if err := it.fold(e); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(log), err)
			}
			s.Events++
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
	}
	slices.Sort(s.People)
	return s, nil
}
