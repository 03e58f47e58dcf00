package report

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Source is the file of a table, with the settings that the table was made with as YAML, "" if it
// does not tell them.
type Source struct{ Name, Settings string }

// SettingsSection lists the settings in which files differ, by their paths; nil for fewer than two
// files. What names the data set and its class is left out.
func SettingsSection(files []Source) *Section {
	if len(files) < 2 {
		return nil
	}
	s := &Section{Title: "Settings that differ between the joined tables", Head: []string{"setting"}}
	paths := map[string]bool{}
	values := make([]map[string]string, len(files))
	for i, f := range files {
		s.Head = append(s.Head, f.Name)
		values[i] = map[string]string{}
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(f.Settings), &n); err == nil && len(n.Content) > 0 {
			flatten("", n.Content[0], values[i])
		}
		if len(values[i]) == 0 {
			s.Text = append(s.Text, f.Name+" does not tell its settings.")
		}
		for p := range values[i] {
			paths[p] = paths[p] || !strings.HasPrefix(p, "class.") && p != "dataset"
		}
	}
	for p, is := range paths {
		line := []string{p}
		differ := false
		for i := range files {
			v, ok := values[i][p]
			if !ok {
				v = "-"
			}
			differ = differ || i > 0 && v != line[1]
			line = append(line, v)
		}
		if is && differ {
			s.Rows = append(s.Rows, line)
		}
	}
	slices.SortFunc(s.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	if len(s.Rows) == 0 {
		s.Text = append(s.Text, "No other.")
	}
	return s
}

// flatten collects the values below a node by their dotted paths.
func flatten(path string, n *yaml.Node, to map[string]string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			flatten(strings.TrimPrefix(path+"."+n.Content[i].Value, "."), n.Content[i+1], to)
		}
	case yaml.SequenceNode:
		var all []string
		for _, c := range n.Content {
			all = append(all, c.Value)
		}
		to[path] = fmt.Sprintf("[%s]", strings.Join(all, ", "))
	default:
		to[path] = n.Value
	}
}
