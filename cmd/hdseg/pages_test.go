package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf"
)

var update = flag.Bool("update", false, "write the pages that are made from the code")

// The pages of settings and of JSON fields say what the doc comments say.
func TestPages(t *testing.T) {
	for file, page := range map[string]string{"../../configs/SETTINGS.md": settingsPage(t), "JSON.md": jsonPage(t)} {
		if *update {
			if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if data, err := os.ReadFile(file); err != nil || string(data) != page {
			t.Errorf("%s is not what the doc comments say (%v): run go test ./cmd/hdseg -run TestPages -update", file, err)
		}
	}
}

func settingsPage(t *testing.T) string {
	var page strings.Builder
	page.WriteString("# Settings\n\nEvery setting of an experiment, as a config names it and `--set path=value` changes it. " +
		"The defaults hold where the config says nothing; `hdseg build -c CONFIG --dry-run` prints those of a config. " +
		"This page is made from the code.\n")
	section := ""
	for _, s := range configs.Settings() {
		doc := fieldDoc(t, s.Owner, s.Field)
		if doc == "" {
			t.Errorf("%s has no doc comment", s.Path)
		}
		if top, _, ok := strings.Cut(s.Path, "."); ok && top != section {
			section = top
			fmt.Fprintf(&page, "\n## %s\n", section)
		}
		fmt.Fprintf(&page, "\n`%s` (%s, default `%s`)  \n%s\n", s.Path, s.Type, s.Default, doc)
	}
	return page.String()
}

// printed are the objects that --json prints, by command.
var printed = map[string]any{
	"annotate agree": agreeResult{}, "annotate apply": stageResult{}, "annotate export": drawableResult{}, "annotate import": stageResult{},
	"bench": benchResult{}, "bench --join": joinResult{}, "bench --scenes": scenesResult{}, "build": buildResult{}, "build --runner": planResult{},
	"build --status": statusResult{}, "task": taskResult{}, "check": checkResult{},
	"demo": buildResult{}, "diff": diffResult{}, "evaluate": evaluateResult{}, "export": exportResult{}, "features": featuresResult{}, "info": infoResult{},
	"ingest": ingestResult{}, "init": initResult{}, "ls": lsResult{}, "merge": mergeResult{}, "pull": remoteResult{}, "push": remoteResult{},
	"segment": segmentResult{}, "shard": packResult{}, "shard unpack": stageResult{}, "shard verify": checkResult{}, "split": stageResult{},
	"show": showResult{}, "stats": statsResult{}, "study": studyResult{}, "train": trainResult{}, "train --shard": mergeResult{}, "transfer": transferResult{},
	"version": versionResult{}, "why": whyResult{},
}

// prose are commands whose --json has nothing to print.
var prose = []string{"annotate", "annotate serve", "completion", "help", "view"}

func jsonPage(t *testing.T) string {
	eachCommand((&app{}).rootCommand(), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "hdseg"), " ")
		if _, ok := printed[name]; !ok && name != "" && !slices.Contains(prose, name) {
			t.Errorf("hdseg %s: the page of JSON fields does not know what it prints", name)
		}
	})
	p := jsonWriter{t: t, seen: map[reflect.Type]bool{}}
	p.WriteString("# JSON\n\n`--json` prints one object to stdout. Field names stay the same from version to version; fields may be added. " +
		"This page is made from the code. Objects of manifests (`Record`, `Mask` and what is in them) have the names that manifests have.\n" +
		"\n## Every command\n\n")
	p.fields(reflect.TypeFor[summary]())
	p.WriteString("\n## A command that fails\n\n")
	p.fields(reflect.TypeFor[failure]())
	var done []string
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range printed {
			if !yield(name) {
				return
			}
		}
	}) {
		if slices.Contains(done, name) {
			continue
		}
		var alike []string
		for other, v := range printed {
			if reflect.TypeOf(v) == reflect.TypeOf(printed[name]) {
				alike = append(alike, other)
			}
		}
		slices.Sort(alike)
		done = append(done, alike...)
		fmt.Fprintf(&p, "\n## %s\n\n", strings.Join(alike, ", "))
		p.fields(reflect.TypeOf(printed[name]))
	}
	p.WriteString("\n# Objects\n")
	for i := 0; i < len(p.objects); i++ { // grows
		fmt.Fprintf(&p, "\n## %s\n\n", objectName(p.objects[i]))
		if doc := structDocs(t, p.objects[i])[""]; doc != "" {
			fmt.Fprintf(&p, "%s\n\n", doc)
		}
		p.fields(p.objects[i])
	}
	return p.String()
}

// common are the fields that mean the same wherever they are and have no comment of their own.
var common = map[string]string{
	"command": "The command's name", "version": "Version of hdseg", "seconds": "Time that it took", "read": "Records or files that were read",
	"done": "Those that were used", "warnings": "What people should know; stderr has the same lines",
	"class": "Category that is figure", "tier": "manual, bbox, label, external:NAME or none", "tiers": "Tier mix", "split": "train or test",
	"synset": "WordNet id", "images": "Number of images", "masks": "Number of masks", "boxes": "Number of boxes", "records": "Number of records",
	"manifest": "File of the manifest", "out": "Folder that was written", "folder": "Folder that was written", "dataset": "Name of the data set",
	"id": "Id of a record", "record": "Id of a record", "model": "Kind of model: " + strings.Join(lscrf.Kinds(), ", "), "kind": "What it is",
	"terms": "unary or pairwise", "seed": "Random seed", "iou": "Intersection over union, 0 to 1", "iou_mean": "IoU, mean over images, 0 to 1",
	"iou_pooled": "IoU of all pixels together, 0 to 1", "pixel": "Pixel accuracy in percent", "pixel_sd": "Standard deviation over folds",
	"per_class_pooled": "Per-class accuracy of all pixels together, in percent", "n": "How many", "mean": "Mean", "min": "Minimum",
	"q1": "First quartile", "median": "Median", "q3": "Third quartile", "max": "Maximum", "name": "Name", "bytes": "Size in bytes", "stage": "Stage",
	"shards": "Numbers of the shards", "of": "Number of all shards", "statistics": "File of statistics", "format": "Name of the format",
	"difference": "B minus A", "ci": "95% interval", "fold": "Number of the fold", "image": "File of the picture", "mask": "File of the mask",
}

// A jsonWriter writes tables of fields and collects the objects that they name.
type jsonWriter struct {
	strings.Builder
	t       *testing.T
	objects []reflect.Type
	seen    map[reflect.Type]bool
}

// fields writes a line per field of a struct, those of embedded structs too, but for the summary
// that every command has.
func (p *jsonWriter) fields(s reflect.Type) {
	for i := range s.NumField() {
		f := s.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" || f.Type == reflect.TypeFor[summary]() || !f.Anonymous && !f.IsExported():
		case f.Anonymous && name == "":
			p.fields(inner)
		default:
			is := p.typeName(f.Type)
			doc := fieldDoc(p.t, s, f.Name)
			if doc == "" && !isObject(f.Type) {
				doc = common[name]
			}
			if strings.HasSuffix(name, "_ci") && doc == "" {
				doc = "95% interval of " + strings.TrimSuffix(name, "_ci")
			}
			if doc == "" && !isObject(f.Type) {
				p.t.Errorf("%s.%s (%q) has no doc comment", s, f.Name, name)
			}
			if doc != "" {
				doc = ": " + doc
			}
			fmt.Fprintf(p, "- `%s` (%s)%s\n", name, is, doc)
		}
	}
}

func (p *jsonWriter) typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return p.typeName(t.Elem())
	case reflect.Slice, reflect.Array:
		return "list of " + p.typeName(t.Elem())
	case reflect.Map:
		return "object of " + p.typeName(t.Elem())
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()) {
			return "value"
		}
		if !p.seen[t] {
			p.seen[t] = true
			p.objects = append(p.objects, t)
		}
		return objectName(t)
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64, reflect.Float32:
		return "number"
	case reflect.Interface:
		return "value"
	}
	return "whole number"
}

// isObject tells of structs and lists of them, whose own doc comment says what they are.
func isObject(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

func objectName(t reflect.Type) string {
	if dir, pkg := path.Split(t.PkgPath()); dir+pkg != "hdseg/cmd/hdseg" && dir+pkg != "hdseg/manifests" {
		return pkg + "." + t.Name() // several packages have a Row
	}
	return strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
}

// fieldDoc returns the comment above or behind a struct's field as one paragraph.
func fieldDoc(t *testing.T, owner reflect.Type, field string) string {
	doc := strings.Join(strings.Fields(structDocs(t, owner)[field]), " ")
	if rest, ok := strings.CutPrefix(doc, field+" "); ok {
		doc = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
	}
	if doc != "" {
		doc = strings.ToUpper(doc[:1]) + doc[1:]
	}
	return doc
}

// docsOf holds what structDocs read, by folder and struct.
var docsOf = map[string]map[string]map[string]string{}

// structDocs returns the comments of a struct's fields and, under "", its first sentence.
func structDocs(t *testing.T, owner reflect.Type) map[string]string {
	dir := "."
	if path, ok := strings.CutPrefix(owner.PkgPath(), "hdseg/"); ok && path != "cmd/hdseg" {
		dir = filepath.Join("../..", filepath.FromSlash(path))
	}
	if docsOf[dir] == nil {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no Go files, %v", dir, err)
		}
		docsOf[dir] = map[string]map[string]string{}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				for _, spec := range g.Specs {
					spec := spec.(*ast.TypeSpec)
					if s, ok := spec.Type.(*ast.StructType); ok {
						docs := commentsOf(s)
						docs[""], _, _ = strings.Cut(strings.Join(strings.Fields(g.Doc.Text()), " "), ". ")
						docsOf[dir][spec.Name.Name] = docs
					}
				}
			}
		}
	}
	return docsOf[dir][owner.Name()]
}

func commentsOf(s *ast.StructType) map[string]string {
	out := map[string]string{}
	for _, f := range s.Fields.List {
		for _, id := range f.Names {
			out[id.Name] = f.Doc.Text() + f.Comment.Text()
		}
	}
	return out
}
