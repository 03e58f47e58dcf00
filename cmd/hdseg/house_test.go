package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
)

// TestHouse holds the size of packages, files and lines.
func TestHouse(t *testing.T) {
	cmd := exec.Command("git", "ls-files", "-z", "*.go")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("git ls-files: %v: the tree is not a git checkout", err)
	}
	files := map[string]int{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
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
	if err != nil {
		t.Fatal(err)
	}
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
