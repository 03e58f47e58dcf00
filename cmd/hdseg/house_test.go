package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What keeps the house readable, outside tests.
const (
	mostFiles   = 30  // Go files of a package
	mostLines   = 500 // of a file
	commentCols = 100 // of a line with a comment; a tab is one column
	codeCols    = 140 // of any line

	mostWords = 9000 // of all pages together
)

// tracked returns the files of the repository that match a pattern, from its root.
func tracked(t *testing.T, pattern string) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", pattern)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("git ls-files: %v: the tree is not a git checkout", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestHouse holds the size of packages, files and lines.
func TestHouse(t *testing.T) {
	files := map[string]int{}
	for _, name := range tracked(t, "*.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files[path.Dir(name)]++
		checkFile(t, name)
	}
	for dir, n := range files {
		if n > mostFiles {
			t.Errorf("%s: %d files without tests, want at most %d: give a part of it a folder", dir, n, mostFiles)
		}
	}
	if len(files) < 30 {
		t.Errorf("looked at %d packages, want the whole module", len(files))
	}
}

// TestHousePages holds the words of all pages, as wc -w counts them, and follows their links to
// files and headings.
func TestHousePages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)#?([^)]*)\)`)
	noLetter := regexp.MustCompile(`[^\w -]`)
	anchors := map[string][]string{} // of headings, by page
	words, links := 0, map[string][][]string{}
	for _, name := range tracked(t, "*.md") {
		data := read(t, filepath.Join("../..", filepath.FromSlash(name)))
		words += len(strings.Fields(string(data)))
		links[name] = link.FindAllStringSubmatch(string(data), -1)
		for line := range strings.Lines(string(data)) {
			if line[0] == '#' {
				title := strings.TrimSpace(strings.TrimLeft(line, "#"))
				anchors[name] = append(anchors[name], strings.ReplaceAll(noLetter.ReplaceAllString(strings.ToLower(title), ""), " ", "-"))
			}
		}
	}
	if words > mostWords {
		t.Errorf("the pages have %d words, want at most %d", words, mostWords)
	}
	followed := 0
	for name, list := range links {
		for _, l := range list {
			to := name
			if strings.Contains(l[1], ":") {
				continue // of the web
			} else if l[1] != "" {
				to = path.Join(path.Dir(name), l[1])
			}
			followed++
			if _, err := os.Stat(filepath.Join("../..", filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: a link to nowhere: %v", name, err)
			} else if l[2] != "" && !slices.Contains(anchors[to], l[2]) {
				t.Errorf("%s: %s has no heading #%s, but %q", name, to, l[2], anchors[to])
			}
		}
	}
	if followed < 20 {
		t.Errorf("got %d links, want 20 or more", followed)
	}
}

func checkFile(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		return // deleted and not yet committed
	} else if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) > mostLines {
		t.Errorf("%s: %d lines, want at most %d", name, len(lines), mostLines)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, data, parser.ParseComments)
	try(t, err)
	comment := map[int]bool{} // lines
	for _, g := range f.Comments {
		ast.Inspect(g, func(n ast.Node) bool {
			if n != nil {
				for l := set.Position(n.Pos()).Line; l <= set.Position(n.End()).Line; l++ {
					comment[l] = true
				}
			}
			return true
		})
	}
	for i, l := range lines {
		switch n := utf8.RuneCountInString(l); {
		case comment[i+1] && n > commentCols:
			t.Errorf("%s:%d: a comment of %d columns, want at most %d", name, i+1, n, commentCols)
		case n > codeCols:
			t.Errorf("%s:%d: %d columns, want at most %d", name, i+1, n, codeCols)
		}
	}
}
