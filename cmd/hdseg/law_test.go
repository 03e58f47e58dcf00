package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// law is the import law: a package imports only packages of the rows above its own. Folders come in
// the order manifests, lscrf, ingest and transfer, annotate, configs, cmd. A package that is not
// listed, such as a generator in an internal folder, belongs to its nearest parent.
var law = [][]string{
	{"manifests/arith", "manifests/canon", "manifests/raster/jpeg", "manifests/format/hdf5", "manifests/remote/s3test", "lscrf/bench/report/browsertest"},
	{"manifests", "manifests/raster"},
	{"manifests/load", "manifests/format", "manifests/shard", "manifests/remote"},
	{"manifests/export"},

	{"lscrf/internal/faults", "lscrf/internal/heap", "lscrf/internal/parallel", "lscrf/internal/peer", "lscrf/tools/dense/arraytest"},
	{"lscrf/tools/boost", "lscrf/tools/metric", "lscrf/tools/mrf", "lscrf/tools/regress", "lscrf/tools/superpixel"},
	{"lscrf/tools/feature", "lscrf/tools/cache"},
	{"lscrf/tools/network"},
	{"lscrf/tools/dense"},
	{"lscrf"},
	{"lscrf/bench"},
	{"lscrf/bench/report", "lscrf/bench/study"},

	{"ingest", "transfer/appearance", "transfer/cut", "transfer/pool", "transfer/wordnet"},
	{"transfer"},

	{"annotate/agree", "annotate/eventlog"},
	{"annotate/campaign"},
	{"annotate/learn"},
	{"annotate/exchange", "annotate/web"},
	{"annotate"},

	{"configs"},

	{"cmd/internal/demo", "cmd/internal/pipeline"},
	{"cmd/internal/cluster"},
	{"cmd/hdseg"},
}

// pure lists the algorithm packages and what they must not touch: files, the clock, the log, a
// context or global randomness.
var pure = []string{"lscrf/tools/superpixel", "lscrf/tools/mrf", "lscrf/tools/regress", "lscrf/tools/boost", "lscrf/tools/metric", "lscrf/tools/feature", "lscrf/tools/network", "transfer/cut"}

var impure = []string{"os", "io/fs", "io/ioutil", "path/filepath", "time", "log", "log/slog", "context", "math/rand", "net", "net/http", "os/exec"}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportLaw(t *testing.T) {
	packages := listPackages(t)
	for _, p := range packages {
		path := strings.TrimPrefix(p.ImportPath, "hdseg/")
		own, row := owner(path)
		if own == "" || own != path && !strings.Contains(path, "/internal/") {
			t.Errorf("%s: in no row; add it to the law", path)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, "hdseg/")
			if !ours {
				if slices.Contains(pure, own) && slices.Contains(impure, imp) {
					t.Errorf("%s imports %s: algorithm packages are pure", path, imp)
				}
				continue
			}
			if o, r := owner(to); o != own && r >= row {
				t.Errorf("%s (row %d) imports %s (row %d): want a row above", path, row, to, r)
			}
		}
	}
	if len(packages) < 10 {
		t.Errorf("checked %d packages, want the whole module", len(packages))
	}
}

// TestTopLevel keeps the top of the tree as the architecture names it. Only what git keeps counts, so that a built program
// or a data set beside it is nobody's concern.
func TestTopLevel(t *testing.T) {
	want := []string{"README.md", "annotate", "cmd", "configs", "go.mod", "go.sum", "ingest", "lscrf", "manifests", "transfer"}
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("git ls-files: %v: the tree is not a git checkout", err)
	}
	var got []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		top, _, _ := strings.Cut(name, "/")
		if !strings.HasPrefix(top, ".") {
			got = append(got, top)
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("top level: got %v, want %v", got, want)
	}
}

// owner returns the listed package that a package is or belongs to, and its row.
func owner(path string) (best string, row int) {
	for i, packages := range law {
		for _, p := range packages {
			if (path == p || strings.HasPrefix(path, p+"/")) && len(p) > len(best) {
				best, row = p, i
			}
		}
	}
	return best, row
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "hdseg/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
