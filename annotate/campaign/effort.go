package campaign

import (
	"cmp"
	"maps"
	"slices"

	"hdseg/annotate/eventlog"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A Work is what a person did in a picture since their page told last.
type Work struct {
	Revision int                // the head that was on the screen; 0 for none
	Seconds  map[string]float64 // by tool; pauses over a minute do not count
	Clicks   map[string]int     // clicks and strokes by tool
}

// maxSeconds bounds what one report may say: a day.
const maxSeconds = 86400

// Worked notes what a person did in a picture.
func (c *Campaign) Worked(p Person, key string, w Work) error {
	return c.with(p, key, func(it *Item, l *Line) error {
		if w.Revision < 0 || w.Revision > len(l.Revisions) {
			return badf("work: got revision %d, want 0 to %d", w.Revision, len(l.Revisions))
		}
		for tool, s := range w.Seconds {
			if !(s >= 0 && s <= maxSeconds) {
				return badf("work: got %g seconds of %s, want 0 to %d", s, tool, maxSeconds)
			}
		}
		e := c.stamp(p, eventlog.Worked, l.Name)
		e.Base, e.Seconds, e.Tools = w.Revision, w.Seconds, w.Clicks
		return it.add(e)
	})
}

// seenSeconds is how long somebody must have looked at a mask to have seen it.
const seenSeconds = 1

// saw takes into account that somebody looked at a mask of the main line.
func (it *Item) saw(e *eventlog.Event) {
	total := 0.0
	for _, s := range e.Seconds {
		total += s
	}
	if total < seenSeconds || e.Line != Main {
		return
	}
	if it.seen == nil {
		it.seen = map[string]int{}
	}
	it.seen[e.By] = e.Base
}

// hasSeen tells whether a person looked at the head of the main line.
func (it *Item) hasSeen(p Person, l *Line) bool {
	n, ok := it.seen[p.Name]
	return ok && l.Name == Main && n == l.Head
}

// An Effort is what pictures took a person: medians over the pictures in which they used the tool.
type Effort struct {
	Person   string       `json:"person"`         // name
	Tool     string       `json:"tool,omitempty"` // "" for all tools together
	Pictures int          `json:"pictures"`       // that were worked on
	Seconds  metric.Value `json:"seconds_median"` // active time per picture
	Clicks   metric.Value `json:"clicks_median"`  // clicks and strokes per picture
}

// Efforts returns what pictures took everybody, by person and tool.
func (c *Campaign) Efforts() []Effort {
	type key struct{ person, tool string }
	seconds, clicks := map[key][]float64{}, map[key][]float64{}
	for _, it := range c.items {
		it.mu.Lock()
		spent, clicked := map[key]float64{}, map[key]int{}
		for _, e := range it.events {
			if e.Kind != eventlog.Worked {
				continue
			}
			for tool, s := range e.Seconds {
				spent[key{e.By, tool}] += s
				spent[key{e.By, ""}] += s
			}
			for tool, n := range e.Tools {
				clicked[key{e.By, tool}] += n
				clicked[key{e.By, ""}] += n
			}
		}
		it.mu.Unlock()
		for k, s := range spent {
			seconds[k], clicks[k] = append(seconds[k], s), append(clicks[k], float64(clicked[k]))
		}
	}
	out := []Effort{}
	for k, s := range seconds {
		out = append(out, Effort{k.person, k.tool, len(s), metric.Of(Median(s)), metric.Of(Median(clicks[k]))})
	}
	slices.SortFunc(out, func(a, b Effort) int { return cmp.Or(cmp.Compare(a.Person, b.Person), cmp.Compare(a.Tool, b.Tool)) })
	return out
}

// Minutes returns how long the accepted masks of all campaigns in a store took: minutes of
// everybody together for each picture, by the tool that took the longest there.
func Minutes(store *manifests.Store) (map[string][]float64, error) {
	out := map[string][]float64{}
	err := eachLog(store.Dir(), "annotate/*/events/*.jsonl", func(it *Item) {
		spent, total := map[string]float64{}, 0.0
		for _, e := range it.events {
			for tool, s := range e.Seconds {
				spent[tool] += s
				total += s
			}
		}
		if it.line(Main).State == Accepted && total > 0 {
			tools := slices.Sorted(maps.Keys(spent))
			longest := slices.MaxFunc(tools, func(a, b string) int { return cmp.Compare(spent[a], spent[b]) })
			out[longest] = append(out[longest], total/60)
		}
	})
	return out, err
}

// Median returns the middle of values, of which there is one.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
