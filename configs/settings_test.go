package configs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// mostSettings bounds the dotted paths that --set accepts. A new one needs a reason for a user to
// change it, and an old one to go.
const mostSettings = 120

var update = flag.Bool("update", false, "write SETTINGS.md from the doc comments")

func TestNumberOfSettings(t *testing.T) {
	all := Settings()
	if len(all) > mostSettings || len(all) < 40 {
		t.Errorf("got %d settings, want 40 to %d", len(all), mostSettings)
	}
	t.Logf("%d settings", len(all))
	for _, s := range all {
		for prefix := range removed {
			if s.Path == prefix || strings.HasPrefix(s.Path, prefix+".") {
				t.Errorf("%s is a setting, and the table of removed ones has %s", s.Path, prefix)
			}
		}
	}
}

// SETTINGS.md says of every setting what the doc comment of its field says.
func TestSettingsPage(t *testing.T) {
	docs := map[string]string{}
	eachField(reflect.ValueOf(*defaults()), "", func(path string, owner reflect.Type, field reflect.StructField, _ reflect.Value) {
		docs[path] = fieldDoc(t, owner, field.Name)
	})
	var page strings.Builder
	page.WriteString("# Settings\n\nEvery setting of an experiment, as a config names it and `--set path=value` changes it. " +
		"The defaults hold where the config says nothing; `hdseg build -c CONFIG --dry-run` prints those of a config. " +
		"This page is made from the code: `go test ./configs -update`.\n")
	section := ""
	for _, s := range Settings() {
		if top, _, ok := strings.Cut(s.Path, "."); ok && top != section {
			section = top
			fmt.Fprintf(&page, "\n## %s\n", section)
		}
		if docs[s.Path] == "" {
			t.Errorf("%s has no doc comment", s.Path)
		}
		fmt.Fprintf(&page, "\n`%s` (%s, default `%s`)  \n%s\n", s.Path, s.Type, s.Default, docs[s.Path])
	}
	if *update {
		if err := os.WriteFile("SETTINGS.md", []byte(page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if page.String() != Page {
		t.Error("SETTINGS.md is not what the doc comments say: run go test ./configs -update")
	}
}

// fieldDoc returns the comment above or behind a field as one paragraph, with the setting's own
// name in place of the field's at its beginning.
func fieldDoc(t *testing.T, owner reflect.Type, field string) string {
	dir := filepath.Join("..", filepath.FromSlash(strings.TrimPrefix(owner.PkgPath(), "hdseg/")))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	doc := ""
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != owner.Name() {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					if slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == field }) {
						doc = strings.TrimSpace(f.Doc.Text() + f.Comment.Text())
					}
				}
			}
			return false
		})
	}
	doc = strings.Join(strings.Fields(doc), " ")
	if rest, ok := strings.CutPrefix(doc, field+" "); ok {
		doc = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
	}
	if doc != "" {
		doc = strings.ToUpper(doc[:1]) + doc[1:]
	}
	return doc
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
