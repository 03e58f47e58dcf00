package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAnnotateUsage(t *testing.T) {
	out, err := command("annotate", "serve").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "hdseg annotate serve: the manifest is missing") {
		t.Errorf("got %v, %s", err, out)
	}
}

// What serve refuses of its options names the flag, is a usage error and begins no campaign.
func TestAnnotateServeRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "0.0.0.0:8999"}, "--listen 0.0.0.0:8999: name the address"},
		{[]string{"--listen", ":8999"}, "--listen :8999: name the address"},
		{[]string{"--listen", "nowhere"}, "--listen nowhere: want HOST:PORT"},
		{[]string{"--origin", "ftp://x"}, "--origin: origin ftp://x"},
		{[]string{"--blind", "1.5"}, "--blind 1.5: want 0..1"},
		{[]string{"--annotators", "Ann, Ben"}, "--annotators: name"},
		{[]string{"--reviewers", "main"}, "--reviewers: name"},
		{[]string{"--annotators", "Ann", "--token", "--renew-token", "Ben"}, "--renew-token Ben: want"},
		{[]string{"--annotators", "Ann", "--assign", "Ann"}, "--assign Ann: want PERSON=NUMBER, or PERSON=FILE of ids"},
		{[]string{"--annotators", "Ann", "--assign", "Ben=3"}, "--assign Ben=3: Ben is none of --annotators and --reviewers"},
		{[]string{"--annotators", "Ann", "--assign", "Ann=-1"}, "--assign Ann=-1: want 0 or more pictures"},
		{[]string{"--annotators", "Ann", "--renew-token", "Ann"}, "--renew-token: no tokens are used on this machine"},
	} {
		cmd := command(append([]string{"annotate", "serve", "absent.yaml"}, c.args...)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: got exit code %d, %s, want 2 and %q", c.args, code, out, c.want)
		}
	}
}

// Where several people are named everybody needs a token, on this machine too; one person alone does not.
func TestTokensOfSeveral(t *testing.T) {
	manifest := drawn(t)
	for _, c := range []struct {
		args []string
		want string // what /api/session says
	}{
		{[]string{"--annotators", "Ann", "--reviewers", "Rita"}, `"needToken":true`},
		{[]string{"--reviewers", "Rita"}, `"needToken":false`},
		{[]string{"--annotators", "Ann", "--reviewers", "Rita", "--token=false"}, `"needToken":false`},
	} {
		s := started(t, "annotate", append([]string{"annotate", "serve", manifest, "--listen", "127.0.0.1:0"}, c.args...)...)
		r, err := http.Get(s.address + "/api/session")
		try(t, err)
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("%v: got %s, %v, want %s", c.args, text, err, c.want)
		}
		s.kill()
	}
}
