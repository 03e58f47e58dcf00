package ingest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// notIngest are the rows of the pitfall list (2a to 2e) that do not concern what reads sources, and where they belong.
var notIngest = map[int]string{
	3:  "annotate: pixels that a page is sent",
	5:  "annotate: browsers",
	32: "annotate and export: previews",
	34: "annotate: empty saves",
	38: "annotate: base revisions",
	63: "manifests/remote: keys of a bucket",
	70: "manifests/shard: archives that are written",
	76: "manifests/shard: the plan of shards",
	79: "manifests/remote: downloads",
}

var rowPattern = regexp.MustCompile(`^TestRow([0-9]+(?:(?:And|To)[0-9]+)*)`)

// rowsOf reads the rows off a test's name: TestRow24And27X, TestRow42To48X.
func rowsOf(name string) (rows []int) {
	m := rowPattern.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	for _, part := range strings.Split(m[1], "And") {
		from, to, ok := strings.Cut(part, "To")
		if !ok {
			to = from
		}
		a, _ := strconv.Atoi(from)
		b, _ := strconv.Atoi(to)
		for r := a; r <= b; r++ {
			rows = append(rows, r)
		}
	}
	return rows
}

// Every row of the pitfall list that concerns ingest has a test named for it, here, in raster or in format. The table is in the log.
func TestPitfallRows(t *testing.T) {
	const last = 79
	tests := map[int][]string{}
	var yaml []string
	for _, dir := range []string{".", "raster", filepath.Join("..", "manifests", "format")} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", dir, err, len(files))
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Recv != nil {
					continue
				}
				if strings.HasPrefix(fn.Name.Name, "TestRow2g") {
					yaml = append(yaml, fn.Name.Name)
					continue
				}
				for _, r := range rowsOf(fn.Name.Name) {
					tests[r] = append(tests[r], f.Name.Name+"."+fn.Name.Name)
				}
			}
		}
	}
	for r := 1; r <= last; r++ {
		why, elsewhere := notIngest[r]
		switch {
		case len(tests[r]) > 0:
			t.Logf("%2d %s", r, strings.Join(tests[r], " "))
		case elsewhere:
			t.Logf("%2d -- %s", r, why)
		default:
			t.Errorf("row %d has no test", r)
		}
	}
	t.Logf("2g %s", strings.Join(yaml, " "))
	if len(yaml) < 2 {
		t.Errorf("got %v for 2g", yaml)
	}
	if got := fmt.Sprint(rowsOf("TestRow9To11And14X"), rowsOf("TestRow2gIds"), rowsOf("TestRows")); got != "[9 10 11 14] [2] []" {
		t.Errorf("names are not read: got %s", got)
	}
}
