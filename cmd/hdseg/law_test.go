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

// ranks is the import law: a package imports only packages of strictly lower rank. A package that is
// not listed has the rank of its nearest listed parent, so that an internal folder belongs to its owner.
var ranks = map[string]int{
	"manifests/canon":        0,
	"manifests":              1,
	"manifests/raster":       0,
	"manifests/raster/jpeg":  -1, // below the rasters that it fills
	"manifests/load":         2,
	"manifests/format":       2,
	"lscrf/tools/superpixel": 1,
	"lscrf/tools/mrf":        1,
	"lscrf/tools/regress":    1,
	"lscrf/tools/boost":      1,
	"lscrf/tools/metric":     1,
	"lscrf/tools/feature":    2,
	"lscrf/tools/cache":      2,
	"transfer/pool":          2,
	"transfer/cut":           2,
	"ingest":                 4, // reads what exports carry
	"transfer":               3,
	"annotate":               3,
	"lscrf":                  3,
	"manifests/export":       3,
	"manifests/shard":        3,
	"manifests/remote":       3,
	"lscrf/bench":            4, // measures the models of lscrf
	"lscrf/bench/report":     5,
	"lscrf/bench/study":      5,
	"configs":                5,
	"cmd/internal":           6,
	"cmd/hdseg":              7,

	"lscrf/internal/faults": 0, // what Validate methods share
}

// pure lists the algorithm packages and what they must not touch: files, the clock, the log, a
// context or global randomness.
var pure = []string{"lscrf/tools/superpixel", "lscrf/tools/mrf", "lscrf/tools/regress", "lscrf/tools/boost", "lscrf/tools/metric", "lscrf/tools/feature", "transfer/cut"}

var impure = []string{"os", "io/fs", "io/ioutil", "path/filepath", "time", "log", "log/slog", "context", "math/rand", "net", "net/http", "os/exec"}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportLaw(t *testing.T) {
	packages := listPackages(t)
	for _, p := range packages {
		path := strings.TrimPrefix(p.ImportPath, "hdseg/")
		own, rank := owner(path)
		if own == "" {
			t.Errorf("%s: no rank; add it to the table", path)
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
			if o, r := owner(to); o != own && r >= rank {
				t.Errorf("%s (rank %d) imports %s (rank %d): want strictly lower", path, rank, to, r)
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

func owner(path string) (string, int) {
	best := ""
	for p := range ranks {
		if (path == p || strings.HasPrefix(path, p+"/")) && len(p) > len(best) {
			best = p
		}
	}
	return best, ranks[best]
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
