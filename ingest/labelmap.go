package ingest

import (
	"fmt"
	"slices"
	"strings"
)

// labelNumbers reads the label map that some tools put into the devkits they write (labelmap.txt: a line NAME:COLOR:PARTS:ACTIONS for each
// label, # before comments) and returns the labels in the order of their numbers: that of the lines, but background first, wherever it stands.
func labelNumbers(text string) ([]string, error) {
	var names []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, _, _ := strings.Cut(line, ":")
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("label map: got %s twice", name)
		}
		names = append(names, name)
	}
	i := slices.Index(names, "background")
	if i < 0 {
		return nil, fmt.Errorf("label map: got no background")
	}
	return slices.Insert(slices.Delete(names, i, i+1), 0, "background"), nil
}

// checkLabels refuses a devkit whose own label map gives the class another number than the request.
func (l *lister) checkLabels(e *entry) error {
	if e == nil {
		return nil
	}
	data, err := e.readText(1 << 20)
	var names []string
	if err == nil {
		names, err = labelNumbers(string(data))
	}
	if err != nil {
		return fmt.Errorf("ingest: %s: %w", e.origin, err)
	}
	if n := slices.Index(names, l.class.Name); n >= 0 && n != l.class.VOC {
		return fmt.Errorf("ingest: %s: gives %s the number %d, class.voc says %d: --set class.voc=%d takes the map's", e.origin, l.class.Name, n, l.class.VOC, n)
	}
	return nil
}
