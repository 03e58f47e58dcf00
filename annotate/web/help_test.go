package web

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// The list of keys that the page shows names every action that has one, and no other.
func TestHelpNamesEveryAction(t *testing.T) {
	data, err := fs.ReadFile(page, "page/keys.js")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(data), "export const groups = {")
	text, _, ok2 := strings.Cut(text, "\n};")
	queue, editor, ok3 := strings.Cut(text, "editor: [")
	if !ok || !ok2 || !ok3 {
		t.Fatal("keys.js: there are no groups")
	}
	label := regexp.MustCompile(`(\w+): '`)
	for scope, part := range map[string]string{"queue": queue, "editor": editor} {
		named := map[string]int{}
		for _, m := range label.FindAllStringSubmatch(part, -1) {
			named[m[1]]++
		}
		for action := range DefaultKeys()[scope] {
			if named[action] != 1 {
				t.Errorf("%s: %s is named %d times in the list, want once", scope, action, named[action])
			}
			delete(named, action)
		}
		for action := range named {
			t.Errorf("%s: the list names %s, which has no keys", scope, action)
		}
	}
}
