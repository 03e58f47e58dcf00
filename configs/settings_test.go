package configs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// mostSettings bounds the dotted paths that --set accepts. A new one needs a reason for a user to
// change it, and an old one to go.
const mostSettings = 120

// paths lists the dotted paths below a value of settings.
func paths(t reflect.Type, path string) (out []string) {
	if t.Kind() != reflect.Struct {
		return []string{path}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, how, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case !f.IsExported() || name == "-":
		case how == "inline":
			out = append(out, paths(f.Type, path)...)
		default:
			out = append(out, paths(f.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return out
}

func TestNumberOfSettings(t *testing.T) {
	all := paths(reflect.TypeFor[Experiment](), "")
	if len(all) > mostSettings || len(all) < 40 {
		t.Errorf("got %d settings, want 40 to %d:\n%s", len(all), mostSettings, strings.Join(all, "\n"))
	}
	t.Logf("%d settings", len(all))
	for _, p := range all {
		for prefix := range removed {
			if p == prefix || strings.HasPrefix(p, prefix+".") {
				t.Errorf("%s is a setting, and the table of removed ones has %s", p, prefix)
			}
		}
	}
}

// A removed setting is refused with the line that says what became of it, in files and in --set;
// what was recorded with it is still read.
func TestRemovedSettings(t *testing.T) {
	for path, why := range removed {
		want := path + " is no setting any more: " + why
		if err := new(Experiment).Set(path + "=1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s=1: got %v, want %q", path, err, want)
		}
		keys := strings.Split(path, ".")
		text := ""
		for i, k := range keys {
			text += strings.Repeat("  ", i) + k + ":\n"
		}
		text = strings.TrimSuffix(text, "\n") + " 1\n"
		if err := decode([]byte(text), defaults()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d: %s", len(keys), want)) {
			t.Errorf("a file with %s: got %v, want %q", path, err, want)
		}
	}
	if _, err := Recorded("class:\n  name: horse\ndataset: horseseg\ntransfer:\n  proposals: true\n"); err != nil {
		t.Errorf("recorded settings with a removed one: %v", err)
	}
}
