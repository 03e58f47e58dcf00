package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf/tools/metric"
)

var update = flag.Bool("update", false, "write the pages that are made from the code")

// The pages of settings and of JSON fields say what the doc comments say.
func TestPages(t *testing.T) {
	for file, page := range map[string]string{"../../configs/SETTINGS.md": settingsPage(t), "JSON.md": jsonPage(t)} {
		if *update {
			try(t, os.WriteFile(file, []byte(page), 0o666))
		} else if data, err := os.ReadFile(file); err != nil || string(data) != page {
			t.Errorf("%s is not what the doc comments say (%v): run go test ./cmd/hdseg -run TestPages -update", file, err)
		}
	}
}

// settingsPage has a line for every setting. A struct that two sections have is told once.
func settingsPage(t *testing.T) string {
	var page strings.Builder
	page.WriteString("# Settings\n\nWhat a config and `--set path=value` may name, with its default and range. `hdseg build -c CONFIG --dry-run` " +
		"prints those of a config; doc comments (`go doc -all ./transfer`) say where defaults come from.\n\n```\n")
	all := slices.Clone(configs.Settings())
	slices.SortStableFunc(all, func(a, b configs.Setting) int { // those of no section first
		return min(1, strings.Count(a.Path, ".")) - min(1, strings.Count(b.Path, "."))
	})
	section, first := "", map[string]string{} // where a field was told
	for _, s := range all {
		doc := firstSentence(t, s.Owner, s.Field)
		if doc == "" {
			t.Errorf("%s has no doc comment", s.Path)
		}
		if top, _, ok := strings.Cut(s.Path, "."); ok && top != section {
			section = top
			page.WriteString("\n")
		}
		field := fmt.Sprint(s.Owner, s.Field)
		if was := first[field]; was != "" {
			doc = "as " + was
		} else {
			first[field] = s.Path
		}
		page.WriteString(hanging(s.Path + "=" + s.Default + ": " + doc))
	}
	return page.String() + "```\n"
}

// hanging breaks a line; what follows is indented.
func hanging(line string) string {
	return strings.ReplaceAll(wrap(line, helpWidth-2), "\n", "\n  ") + "\n"
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

const jsonIntro = "# JSON\n\n`--json` prints one object to stdout. Names stay from version to version; more may be added. " +
	"A name alone is text; `:int`, `:num` and `:bool` are numbers, true or false; `:num?` is null where nothing is defined. " +
	"`[T]` is a list, `{T}` an object of T by name, `...T` all fields of T. Empty fields may be left out.\n\n" +
	"`tier` is manual, bbox, label, external:NAME or none, `split` train or test. Accuracies (`per_class_*`, `pixel`) are percent; IoU, " +
	"`boundary_f`, quality (predicted IoU) and shares 0 to 1. `ci` are 95% intervals. Seconds are by the clock, `cpu_seconds` of all " +
	"cores. Pixels count from 0; `xMax` and `yMax` lie one past the last.\n"

// explained are fields that need more than their names: the page has their comments.
var explained = strings.Fields(`Summary.skipped ErrorInfo.kind IngestResult.dropped IngestResult.other IngestResult.repairs
	bench.Table.test bench.Table.rows bench.Table.missing_tiers 
	report.Difference.verdict metric.Confusion.n remote.Result.kept remote.Result.young
	remote.Result.unguarded remote.Result.no_metadata SegmentResult.left Segmented.optimal CheckResult.unlisted
	study.Exchange.rate study.Exchange.bound transfer.Row.iou_mean_best80 transfer.Reliable.at transfer.Reliable.truly transfer.Reliable.missed
	WhyResult.missing Mask.status Provenance.wasDerivedFrom `)

func jsonPage(t *testing.T) string {
	eachCommand((&app{}).rootCommand(), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "hdseg"), " ")
		if _, ok := printed[name]; !ok && name != "" && !slices.Contains(prose, name) {
			t.Errorf("hdseg %s: the page of JSON fields does not know what it prints", name)
		}
	})
	p := jsonWriter{t: t, prints: map[reflect.Type][]string{}}
	var results []reflect.Type
	for _, name := range slices.Sorted(maps.Keys(printed)) {
		s := reflect.TypeOf(printed[name])
		if p.prints[s] == nil {
			results = append(results, s)
		}
		p.prints[s] = append(p.prints[s], name)
	}
	p.WriteString(jsonIntro + "\n## Commands\n\n```\n")
	p.object("every command", reflect.TypeFor[summary]())
	p.object("one that fails", reflect.TypeFor[failure]())
	for _, s := range results {
		p.object(strings.Join(p.prints[s], ", "), s)
	}
	p.WriteString("```\n\n## Objects\n\n```\n")
	for i := 0; i < len(p.objects); i++ { // grows
		p.object(objectName(p.objects[i]), p.objects[i])
	}
	for _, name := range explained {
		if !slices.Contains(p.told, name) {
			t.Errorf("no field of --json is called %s and has a comment", name)
		}
	}
	return p.String() + "```\n"
}

// A jsonWriter writes objects, a line or more for each, and collects those that they name.
type jsonWriter struct {
	strings.Builder
	t       *testing.T
	prints  map[reflect.Type][]string // the commands that print an object
	objects []reflect.Type
	told    []string // of explained
}

// object writes the names and types of a struct's fields.
func (p *jsonWriter) object(name string, s reflect.Type) {
	var fields []string
	for i := range s.NumField() {
		f := s.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "-" || f.Type == reflect.TypeFor[summary]() || !f.Anonymous && !f.IsExported() {
			continue
		}
		if f.Anonymous && key == "" {
			fields = append(fields, "..."+p.typeName(f.Type))
			continue
		}
		field := objectName(s) + "." + key
		if f.Type.Kind() != reflect.String {
			key += ":" + p.typeName(f.Type)
		}
		if doc := firstSentence(p.t, s, f.Name); doc != "" && slices.Contains(explained, field) {
			key += " (" + doc + ")"
			p.told = append(p.told, field)
		}
		fields = append(fields, key)
	}
	p.WriteString(hanging(name + ": " + strings.Join(fields, ", ")))
}

func (p *jsonWriter) typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return p.typeName(t.Elem())
	case reflect.Slice, reflect.Array:
		return "[" + p.typeName(t.Elem()) + "]"
	case reflect.Map:
		return "{" + p.typeName(t.Elem()) + "}"
	case reflect.Struct:
		if t == reflect.TypeFor[metric.Value]() {
			return "num?"
		}
		if names := p.prints[t]; names != nil {
			return names[len(names)-1]
		}
		if !slices.Contains(p.objects, t) {
			p.objects = append(p.objects, t)
		}
		return objectName(t)
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "bool"
	case reflect.Float64, reflect.Float32:
		return "num"
	case reflect.Interface:
		return "any"
	}
	return "int"
}

func objectName(t reflect.Type) string {
	if dir, pkg := path.Split(t.PkgPath()); dir+pkg != "hdseg/cmd/hdseg" && dir+pkg != "hdseg/manifests" {
		return pkg + "." + t.Name() // several packages have a Row
	}
	return strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
}

// firstSentence returns that of the comment above or behind a struct's field, without the field's
// name and with a small letter first.
func firstSentence(t *testing.T, owner reflect.Type, field string) string {
	doc, _, _ := strings.Cut(strings.Join(strings.Fields(structDocs(t, owner)[field]), " "), ". ")
	for _, first := range []string{field + " is ", field + " are ", field + " ", "The ", "the "} {
		doc = strings.TrimPrefix(doc, first)
	}
	doc = strings.TrimSuffix(doc, ".")
	if first, rest, _ := strings.Cut(doc, " "); first != "" && strings.ToLower(first[1:]) == first[1:] {
		doc = strings.TrimSpace(strings.ToLower(first) + " " + rest)
	}
	return doc
}

// docsOf holds what structDocs read, by folder and struct.
var docsOf = map[string]map[string]map[string]string{}

// structDocs returns the comments of a struct's fields.
func structDocs(t *testing.T, owner reflect.Type) map[string]string {
	dir := "."
	if path, ok := strings.CutPrefix(owner.PkgPath(), "hdseg/"); ok && path != "cmd/hdseg" {
		dir = filepath.Join("../..", filepath.FromSlash(path))
	}
	if docsOf[dir] == nil {
		files := found(t, filepath.Join(dir, "*.go"))
		docsOf[dir] = map[string]map[string]string{}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			try(t, err)
			for _, d := range file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.TYPE {
					continue
				}
				for _, spec := range g.Specs {
					spec := spec.(*ast.TypeSpec)
					if s, ok := spec.Type.(*ast.StructType); ok {
						docsOf[dir][spec.Name.Name] = commentsOf(s)
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
