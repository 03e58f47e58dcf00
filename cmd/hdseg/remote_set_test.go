package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/manifests/remote/s3test"
)

// stored makes a data set with a stage below it and shards of it.
func stored(t *testing.T, dir string) manifests.Digest {
	t.Helper()
	digest := blobs(t, dir, 3, 12, 2000, 0, 0)
	s, err := manifests.OpenStore(dir)
	try(t, err)
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	m.Stage = "split"
	if _, err := manifests.WriteListed(s, "stages/split", m); err != nil {
		t.Fatal(err)
	}
	must(t, "shard", "-i", filepath.Join(dir, "horseseg.yaml"), "-o", filepath.Join(dir, "shards"))
	return digest
}

// A folder is pushed and pulled with all its manifests and its shards: both sides have the same files. One manifest or one folder of shards can be chosen on
// either side, ls names them all, and archives are never replaced by others.
func TestPushWholeSet(t *testing.T) {
	srv := s3test.Start(t)
	base := t.TempDir()
	dir := filepath.Join(base, "out")
	digest := stored(t, dir)
	at := []string{"--endpoint", srv.URL, "--json"}
	const url = "s3://" + s3test.Bucket + "/whole"
	run := func(v any, args ...string) {
		t.Helper()
		try(t, json.Unmarshal([]byte(must(t, append(args, at...)...)), v))
	}
	var r remoteResult
	if run(&r, "push", dir, url); r.Name != "shards,stages/split,horseseg" || r.Sent != 24+2 || r.Manifest != digest { // 2 archives
		t.Errorf("%+v", r)
	}
	if run(&r, "push", dir, url, "--delete"); r.Sent != 0 || r.Kept != 26 || len(r.Deleted) != 0 {
		t.Errorf("again: %+v", r)
	}
	var ls lsResult
	run(&ls, "ls", "s3://"+s3test.Bucket)
	var names []string
	for _, h := range ls.DataSets {
		names = append(names, h.Kind+" "+h.At+" "+h.Name)
	}
	if want := []string{"manifest whole horseseg", "shards whole shards", "manifest whole stages/split"}; !slices.Equal(names, want) {
		t.Errorf("ls: got %q, want %q", names, want)
	}
	back := filepath.Join(base, "back")
	if run(&r, "pull", url, back); r.Sent != 26 {
		t.Errorf("pull: %+v", r)
	}
	want, got := filesIn(t, dir), filesIn(t, back)
	want["SHA256SUMS"] = got["SHA256SUMS"] // the folder here has none
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s: %d bytes came back, want %d", name, len(got[name]), len(data))
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d files came back, want %d", len(got), len(want))
	}
	only := filepath.Join(base, "only")
	if run(&r, "pull", url, only, "--name", "shards", "--splits", "test"); r.Sent != 1 {
		t.Errorf("%+v", r)
	}
	if out := must(t, "shard", "verify", filepath.Join(only, "shards"), "-i", filepath.Join(dir, "horseseg.yaml")); !strings.Contains(out, "4 records, 0 faults") {
		t.Error(out)
	}
	if run(&r, "push", filepath.Join(dir, "shards"), url+"/elsewhere"); r.Sent != 2 || r.Name != "shards" {
		t.Errorf("shards alone: %+v", r)
	}
	fails := func(code int, want string, args ...string) {
		t.Helper()
		if _, stderr, got := hdseg(t, append(args, "--endpoint", srv.URL)...); got != code || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %s", args, got, stderr)
		}
	}
	fails(exitError, "one in s3://sets/whole", "pull", "s3://"+s3test.Bucket, only)
	fails(exitUsage, "--name shards: "+filepath.Join(dir, "horseseg.yaml")+" is already the manifest horseseg", "push", filepath.Join(dir, "horseseg.yaml"), url, "--name", "shards")
	fails(exitError, "--resend images/x.png: no pushed file has this path", "push", dir, url, "--resend", "images/x.png")
	if run(&r, "push", dir, url, "--resend", "all"); r.Sent != 26 || r.Kept != 0 {
		t.Errorf("all again: %+v", r)
	}
	if run(&r, "push", dir, url, "--resend", "horseseg.yaml,stages/split.yaml,shards/shards.json,SHA256SUMS"); r.Sent != 0 || len(r.Resent) != 4 {
		t.Errorf("indexes again: %+v", r)
	}
	fails(exitError, "there is no nothing", "pull", url, only, "--name", "nothing")
	fails(exitError, "nothing is deleted", "push", filepath.Join(dir, "horseseg.yaml"), url, "--delete")
	fails(exitUsage, "--limit-mb", "push", dir, url, "--limit-mb", "-1")
	fails(exitUsage, "--grace", "push", dir, url, "--grace", "-1s")
	fails(exitUsage, "push the folder that it lies in", "push", filepath.Join(back, "SHA256SUMS"), url)
	fails(exitError, "no object has this prefix", "ls", url+"/nowhere")
	if out := must(t, "push", dir, url, "--verify", "--endpoint", srv.URL); !strings.Contains(out, "verified 26 objects by size and sha256, 0 of them sent again") { // with 2 archives
		t.Error(out)
	}
	try(t, os.RemoveAll(filepath.Join(dir, "shards")))
	must(t, "shard", "-i", filepath.Join(dir, "horseseg.yaml"), "-o", filepath.Join(dir, "shards"), "--splits", "test")
	fails(exitError, "archives of another plan are there", "push", filepath.Join(dir, "shards"), url+"/shards")
	try(t, os.WriteFile(filepath.Join(dir, "notes.yaml"), []byte("a: 1\n"), 0o666))
	if run(&r, "push", dir, url+"/tests", "--splits", "test"); r.Name != "horseseg" || r.Sent != 8 || len(r.Warnings) != 1 {
		t.Errorf("%+v", r)
	}
}

// Some splits or tiers are those of the one data set that is there, be it a stage's; of several the user chooses one.
func TestChoiceOfStage(t *testing.T) {
	srv := s3test.Start(t)
	base := t.TempDir()
	dir := filepath.Join(base, "out")
	stored(t, dir)
	for _, p := range []string{"horseseg.yaml", "horseseg.d", "shards"} {
		try(t, os.RemoveAll(filepath.Join(dir, p)))
	}
	const url = "s3://" + s3test.Bucket + "/stage"
	at := []string{"--endpoint", srv.URL}
	must(t, append([]string{"push", dir, url}, at...)...)
	for _, args := range [][]string{{"pull", url, filepath.Join(base, "tests"), "--splits", "test"}, {"push", dir, url + "-tests", "--splits", "test"}} {
		if out := must(t, append(args, at...)...); !strings.HasPrefix(out, "stages/split: 8 files: 8 ") {
			t.Errorf("%v: %s", args, out)
		}
	}
	if _, m, _, err := manifests.ReadFile(filepath.Join(base, "tests", "stages", "split.yaml")); err != nil || len(m.Records) != 4 { // pictures of 4 test records, and masks
		t.Errorf("%v", err)
	}
	s, m, _, err := manifests.ReadFile(filepath.Join(dir, "stages", "split.yaml"))
	try(t, err)
	if _, err := manifests.WriteListed(s, "stages/ingest", m); err != nil {
		t.Fatal(err)
	}
	says(t, exitUsage, "choose one with --name: stages/ingest, stages/split", append([]string{"push", dir, url + "-more", "--splits", "test"}, at...)...)
}

// Of a lineage the newest manifest is taken: what was made from the build that is there, and nothing that was made from an earlier one; a place may lack
// all stages.
func TestNewestOfLineage(t *testing.T) {
	held := func(name, sum, parent string) remote.Held {
		return remote.Held{Name: name, Dataset: "horseseg", SHA256: manifests.Digest(sum), Parent: manifests.Digest(parent)}
	}
	stage, built := held("stages/transfer", "1", ""), held("horseseg", "2", "1")
	other := held("dogseg", "9", "")
	other.Dataset = "dogseg"
	for _, c := range []struct {
		found []remote.Held
		want  string // "" for an error, which says whether they are of one data set
	}{
		{[]remote.Held{stage, built}, "horseseg"},
		{[]remote.Held{stage, built, held("reviewed", "3", "2")}, "reviewed"},
		{[]remote.Held{built, held("reviewed", "3", "2")}, "reviewed"},                          // no stages
		{[]remote.Held{stage, built, held("reviewed", "3", "0")}, "horseseg"},                   // built anew since
		{[]remote.Held{built, held("reviewed", "3", "0"), held("again", "4", "3")}, "horseseg"}, // and what was made from that
		{[]remote.Held{built, held("reviewed", "3", "0"), held("again", "4", "2")}, "again"},
		{[]remote.Held{held("reviewed", "3", "0")}, "reviewed"},
		{[]remote.Held{built, held("a", "3", "2"), held("b", "4", "2")}, ""},
		{[]remote.Held{built, other}, ""},
	} {
		r := &remoteFlags{}
		r.req.Choice.Splits = []manifests.Split{manifests.Test}
		names, err := r.inOrder("here", c.found, false)
		if said := "several manifests of one data set: choose one"; err != nil && strings.Contains(err.Error(), said) != (c.found[0].Dataset == c.found[len(c.found)-1].Dataset) {
			t.Errorf("%v: %v", c.found, err)
		}
		if got := strings.Join(names, ","); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: got %s, %v; want %s", c.found, got, err, c.want)
		}
	}
}

// A data set is pushed and pulled through a symbolic link to its folder.
func TestPushThroughLink(t *testing.T) {
	srv := s3test.Start(t)
	t.Chdir(t.TempDir())
	stored(t, "set")
	try(t, os.Symlink("set", "link"), os.Mkdir("to", 0o777), os.Symlink("to", "back"))
	const url = "s3://" + s3test.Bucket + "/link"
	must(t, "push", "link", url, "--endpoint", srv.URL)
	must(t, "pull", url, "back", "--endpoint", srv.URL)
	if got, want := len(filesIn(t, "to")), len(filesIn(t, "set")); got < want {
		t.Errorf("%d files came back, want %d", got, want)
	}
}
