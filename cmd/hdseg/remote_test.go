package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// blobs makes a data set of n records whose image has the given size and whose mask is as large; nothing decodes them. large more records have images of
// largeSize.
func blobs(t testing.TB, dir string, seed uint64, n, size, large, largeSize int) manifests.Digest {
	t.Helper()
	s, err := manifests.OpenStore(dir)
	try(t, err)
	rng := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg", Class: manifests.Class{Name: "horse"}, Stage: "transfer", Seed: seed}}
	put := func(dir, id string, size int) (string, manifests.Digest) {
		data := make([]byte, size)
		rng.Read(data) // cannot fail
		p, d, err := s.Put(dir, id, "png", data)
		try(t, err)
		return p, d
	}
	for i := range n + large {
		if i == n {
			size = largeSize
		}
		r := manifests.Record{ID: fmt.Sprintf("n02374451_%d", i), Split: manifests.Train, Tier: manifests.Manual, Image: manifests.Image{Width: 9, Height: 9, Format: "png", Orientation: 1}}
		if i%3 == 0 {
			r.Split = manifests.Test
		}
		r.Image.Path, r.Image.SHA256 = put("images", r.ID, size)
		k := manifests.Mask{Tier: manifests.Manual, Provenance: manifests.Provenance{WasGeneratedBy: "test", Used: []manifests.Digest{r.Image.SHA256}}}
		k.Path, k.SHA256 = put("masks", r.ID, size)
		r.Masks = []manifests.Mask{k}
		m.Records = append(m.Records, r)
	}
	d, err := manifests.WriteListed(s, "horseseg", m)
	try(t, err)
	return d
}

// Pushed, listed and pulled from the command line; the AWS CLI lists and fetches what push wrote.
func TestPushPullCommands(t *testing.T) {
	srv := s3test.Start(t)
	dir := filepath.Join(t.TempDir(), "out")
	digest := blobs(t, dir, 1, 9, 3000, 1, 6<<20)
	const url = "s3://" + s3test.Bucket + "/p/q"
	at := []string{"--endpoint", srv.URL, "--json"}
	var r remoteResult
	run := func(args ...string) {
		t.Helper()
		r = remoteResult{}
		try(t, json.Unmarshal([]byte(must(t, append(args, at...)...)), &r))
	}
	if run("push", dir, url, "--dry-run"); r.Sent != 20 || !r.DryRun {
		t.Errorf("%+v", r)
	}
	if run("push", dir, url); r.Sent != 20 || r.Manifest != digest {
		t.Errorf("%+v", r)
	}
	if run("push", dir, url); r.Sent != 0 || r.Kept != 20 {
		t.Errorf("%+v", r)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if run("pull", url, copied); r.Sent != 20 || r.Manifest != digest {
		t.Errorf("%+v", r)
	}
	tests := filepath.Join(t.TempDir(), "tests")
	if run("pull", url, tests, "--splits", "test"); r.Sent != 8 {
		t.Errorf("%+v", r)
	}
	var ls lsResult
	if err := json.Unmarshal([]byte(must(t, append([]string{"ls", url}, at...)...)), &ls); err != nil || len(ls.DataSets) != 1 || ls.DataSets[0].SHA256 != digest || ls.DataSets[0].Records != 10 {
		t.Errorf("%+v, %v", ls, err)
	}
	says(t, exitUsage, "want s3://bucket", "push", dir, "bucket/prefix")
	if _, stderr, code := hdseg(t, "ls", "s3://nobucket", "--endpoint", srv.URL); code != exitError || stderr != "error: remote: s3://nobucket/: there is no bucket nobucket\n" {
		t.Errorf("exit %d: %s", code, stderr)
	}

	aws := os.Getenv("HDSEG_AWS")
	if aws == "" {
		t.Skip("SKIPPED in part: set HDSEG_AWS to the AWS CLI: .ci/run installs one")
	}
	fetched := filepath.Join(t.TempDir(), "aws")
	if out, err := exec.Command(aws, "s3", "sync", "--no-progress", "--endpoint-url", srv.URL, url, fetched).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sound(t, fetched, digest)
	out, err := exec.Command(aws, "s3", "ls", "--recursive", "--endpoint-url", srv.URL, url+"/").Output()
	if err != nil || strings.Count(string(out), "\n") != 20+3 { // the index, its part and the list of sums
		t.Errorf("%v: %s", err, out)
	}
}

// sound tells that a folder is a data set without fault and with that digest.
func sound(t testing.TB, dir string, digest manifests.Digest) {
	t.Helper()
	s, err := manifests.OpenStore(dir)
	try(t, err)
	if faults, err := manifests.Check(context.Background(), s, "horseseg", manifests.CheckOptions{Workers: 2}); err != nil || len(faults) > 0 {
		t.Fatalf("%s: %v, %v", dir, faults, err)
	}
	if _, d, err := manifests.Read(s, "horseseg"); err != nil || d != digest {
		t.Fatalf("%s: sha256 %s, %v; want %s", dir, d.Short(), err, digest.Short())
	}
}
