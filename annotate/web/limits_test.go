package web

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	long := strings.Repeat(" ", smallBody)
	v.want(413, "POST", "/api/login", long+`{}`)
	v.want(413, "POST", "/api/items/a/comments", long+`{}`)
	v.want(413, "POST", "/api/items/a/state", long+`{}`)
	v.want(413, "PUT", "/api/items/a/mask", strings.Repeat(long, 5)+saveBody(5, 0, ""))
	v.want(200, "POST", "/api/items/a/comments", `{"x":0,"y":0,"text":"`+strings.Repeat(`\u00e9`, 2000)+`"}`)
	with := func(tool string) string { return fmt.Sprintf(`{"tools":{%q:1},`, tool) + saveBody(5, 0, "")[1:] }
	for _, tool := range []string{"", "a b", "<b>", strings.Repeat("a", 31)} {
		v.want(400, "PUT", "/api/items/a/mask", with(tool))
	}
	v.want(200, "PUT", "/api/items/a/mask", with("scribbleFigure"))
}

func TestWithoutFolders(t *testing.T) {
	for in, want := range map[string]string{
		"open /data/set/annotate/q.jsonl: no space left on device": "open q.jsonl: no space left on device",
		`open C:\data\q.jsonl: denied`:                             "open q.jsonl: denied",
		"/data/q.jsonl: got 3 bytes, want 4 / 5":                   "q.jsonl: got 3 bytes, want 4 / 5",
		"mask: masks/manual/a.png: got 1/2":                        "mask: masks/manual/a.png: got 1/2",
	} {
		if got := withoutFolders(errors.New(in).Error()); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestKeysThatNeverFire(t *testing.T) {
	for _, key := range []string{"Z", "Ctrl+Z", "Shift+z", "Alt+Q"} {
		if err := checkKey(key); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line", key, err)
		}
	}
	for _, key := range []string{"z", "Shift+Z", "Ctrl+Shift+Z", "Ctrl+Enter", "+", "Ctrl++", "?", "["} {
		if err := checkKey(key); err != nil {
			t.Error(err)
		}
	}
}
