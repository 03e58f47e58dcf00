package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reasonCodes are those of Reasons.
var reasonCodes = func() (codes []string) {
	for _, r := range Reasons() {
		codes = append(codes, r.Code)
	}
	return codes
}()

// reasonShapes are the ways in which the sources give a reason.
var reasonShapes = regexp.MustCompile(`(?:l\.add\([^"\n]*|l\.lost\([^"\n]*|layerFault\{|fault\{[^"\n{]*|fault\(|Reason: |[rR]eason\b[^"\n]*=[^"\n]*|limitReason\(err, |refuse\(|return |InTest = )"([a-z]+(?:_[a-z]+)*)"`)

// Every reason that the sources give is in the table, and no other.
func TestReasonsAreComplete(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, file := range append(files, filepath.Join("..", "manifests", "format", "boxpixels.go")) {
		if strings.HasSuffix(file, "_test.go") || file == "reason.go" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reasonShapes.FindAllStringSubmatch(string(data), -1) {
			given[m[1]] = true
		}
	}
	for code := range given {
		if strings.Contains(code, "_") && !slices.Contains(reasonCodes, code) {
			t.Errorf("%s is given and not in Reasons", code)
		}
	}
	for i, code := range reasonCodes {
		if !given[code] {
			t.Errorf("%s is in Reasons and not given", code)
		}
		if slices.Contains(reasonCodes[:i], code) {
			t.Errorf("%s is in Reasons twice", code)
		}
	}
}

// README.md of this package has the table as it is here.
func TestReasonsInREADME(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| reason | what it is | what to do |\n|---|---|---|\n"
	for _, r := range Reasons() {
		want += fmt.Sprintf("| `%s` | %s | %s |\n", r.Code, r.Meaning, r.Remedy)
	}
	if !strings.Contains(string(data), want) {
		t.Errorf("README.md does not have this table:\n%s", want)
	}
}
