package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/manifests/remote/s3test"
)

// What cannot be meant is refused with what to write instead, before anything is sent, and with no secret.
func TestRemoteUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		want string
	}{
		{"--max-delete 5", "want --delete, too"},
		{"--grace 5m", "want --delete, too"},
		{"--part-mb 4", "--part-mb 4: want 5 to 5120"},
		{"--part-mb 8796093022208", "want 5 to 5120"},
		{"--transfers 100000", "want 1 to 256"},
		{"--stall -1s", "stall: got -1s"},
		{"--endpoint 127.0.0.1:17071", "http://127.0.0.1:17071 or https://127.0.0.1:17071"},
		{"--endpoint http://h/?X=secret", "no user, password, query"},
	} {
		_, stderr, code := hdseg(t, append([]string{"push", dir, "s3://sets/x"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "secret") {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
	}
	for _, url := range []string{"s3://user:secret@sets/x", "s3://sets/a\nb", "s3://sets/x?sig=secret"} {
		for _, args := range [][]string{{"ls", url}, {"pull", url, dir}, {"push", dir, url, "--json"}} {
			stdout, stderr, code := hdseg(t, args...)
			if code != exitUsage || (stdout != "") != slices.Contains(args, "--json") || strings.Contains(stdout, "secret") || !strings.HasPrefix(stderr, "error: ") || strings.Contains(stderr, "secret") || strings.Count(stderr, "\n") != 2 {
				t.Errorf("%q: exit %d, %s", args, code, stderr)
			}
		}
	}
}

// A dry run says what it would do: a pull receives, and a push without --delete says nothing of what it would not delete anyway.
func TestRemoteDryRun(t *testing.T) {
	srv := s3test.Start(t)
	base := t.TempDir()
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	blobs(t, one, 1, 2, 500_000, 0, 0)
	blobs(t, two, 2, 2, 500_000, 0, 0)
	at := []string{"--endpoint", srv.URL}
	const url = "s3://" + s3test.Bucket + "/dry"
	must(t, append([]string{"push", one, url}, at...)...)
	for _, more := range [][]string{nil, {"--delete"}, {"--splits", "test"}} {
		must(t, append(append([]string{"pull", url, filepath.Join(base, "nowhere", "copy"), "--dry-run"}, more...), at...)...)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) != 2 {
		t.Errorf("a dry run into a folder that is not there leaves %v, %v", left, err)
	}
	if out := must(t, append([]string{"pull", url, filepath.Join(base, "copy"), "--dry-run"}, at...)...); !strings.Contains(out, "4 files: would be 4 received (2.0 MB), 0 there already") {
		t.Error(out)
	}
	if out := must(t, append([]string{"pull", url, one, "--dry-run"}, at...)...); !strings.Contains(out, "would be 0 received (0.0 MB), 4 there already") {
		t.Error(out)
	}
	var r remoteResult
	for _, del := range []bool{false, true} {
		args := append([]string{"push", two, url, "--dry-run", "--json"}, at...)
		if del {
			args = append(args, "--delete")
		}
		try(t, json.Unmarshal([]byte(must(t, args...)), &r))
		if got := strings.Contains(strings.Join(r.Warnings, "\n"), "--grace"); got && !del {
			t.Errorf("without --delete: %q", r.Warnings)
		}
	}
}

// What a foreign index says is printed so that it cannot command the terminal.
func TestListQuotes(t *testing.T) {
	var out bytes.Buffer
	h := remoteHeld("evil\x1b[2J", "horse\nseg", "tra\x07in")
	h.table(&out)
	if got := out.String(); strings.ContainsAny(got, "\x1b\x07") || strings.Count(got, "\n") != 3 || !strings.Contains(got, `evil\x1b[2J: horse\nseg`) || !strings.Contains(got, `tra\ain`) {
		t.Errorf("%q", got)
	}
}

func remoteHeld(name, dataset, split string) *lsResult {
	v := remote.Held{Name: name, Kind: remote.KindManifest, Dataset: dataset, Stage: "split", Version: "1", Counts: []manifests.Count{{Split: manifests.Split(split), Tier: "manual", Images: 1}}}
	return &lsResult{Inventory: &remote.Inventory{DataSets: []remote.Held{v}}}
}

// That a server is busy is said once on stderr, whatever the progress, and JSON stays one object, which has it among its warnings.
func TestRemoteBusy(t *testing.T) {
	srv := s3test.Start(t)
	base := t.TempDir()
	one := filepath.Join(base, "one")
	blobs(t, one, 1, 2, 5_000, 0, 0)
	for _, progress := range []string{"auto", "bar", "text", "none"} {
		seen := map[string]bool{}
		proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
			if key := r.Method + r.URL.Path; r.Method == http.MethodPut && !seen[key] {
				seen[key] = true
				return s3test.SlowDown
			}
			return s3test.Pass
		})
		stdout, stderr, code := hdseg(t, "push", one, "s3://"+s3test.Bucket+"/busy-"+progress, "--endpoint", proxy.URL, "--json", "--progress", progress)
		var got struct {
			Sent     int
			Warnings []string
		}
		if err := json.Unmarshal([]byte(stdout), &got); code != exitDone || err != nil || got.Sent != 4 || len(got.Warnings) != 1 {
			t.Errorf("%s: exit %d, %v: %s", progress, code, err, stdout)
		}
		if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "warning: s3://") || !strings.Contains(stderr, "the server is busy: try 1 of 8 failed") {
			t.Errorf("%s: %s", progress, stderr)
		}
	}
}
