package remote

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// rewrite stores a manifest of the store with another header.
func rewrite(t testing.TB, s *manifests.Store, from, to string, change func(*manifests.Manifest)) manifests.Digest {
	t.Helper()
	m, _, err := manifests.Read(s, from)
	try(t, err)
	change(m)
	d, err := manifests.WriteListed(s, to, m)
	try(t, err)
	return d
}

// A push replaces neither another data set nor what it cannot read nor the parent of a manifest that stays, unless told to.
func TestPushSparesOthers(t *testing.T) {
	srv := s3test.Start(t)
	horse, digest := dataSet(t, 1, 100, 1)
	dog, _ := dataSet(t, 1, 100, 2)
	rewrite(t, dog, "horseseg", "horseseg", func(m *manifests.Manifest) { m.Dataset = "dogseg" })
	b := open(t, srv.URL, place)
	leave(t, srv, b, manifests.SumsFile, []byte("a list of mine\n"), 0)
	if _, err := b.Push(t.Context(), horse, Request{Names: horseseg}); err == nil || !strings.Contains(err.Error(), "a list is there that hdseg did not write") {
		t.Errorf("another list: got %v", err)
	}
	mustPush(t, b, horse, Request{Replace: true})
	refused := func(s *manifests.Store, names []string, want string) {
		t.Helper()
		if _, err := b.Push(t.Context(), s, Request{Names: names}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--replace") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	refused(dog, horseseg, `the data set "horseseg" is there and would be replaced by "dogseg"`)
	if list, err := b.List(t.Context()); err != nil || len(list.DataSets) != 1 || list.DataSets[0].SHA256 != digest || list.Objects != 2*2+3 {
		t.Errorf("%+v, %v: something was sent", list, err)
	}

	// horseseg is made from stages/ingest.
	ingest := []string{"stages/ingest"}
	parent := rewrite(t, horse, "horseseg", ingest[0], func(m *manifests.Manifest) { m.Stage, m.Parent = "ingest", "" })
	rewrite(t, horse, "horseseg", "horseseg", func(m *manifests.Manifest) { m.Parent = parent })
	both := []string{"stages/ingest", "horseseg"}
	if _, err := b.Push(t.Context(), horse, Request{Names: both}); err != nil {
		t.Fatal(err)
	}
	next := rewrite(t, horse, ingest[0], ingest[0], func(m *manifests.Manifest) { m.Seed++ })
	refused(horse, ingest, "horseseg.yaml there was made from it and would lose its parent")
	rewrite(t, horse, "horseseg", "horseseg", func(m *manifests.Manifest) { m.Parent = next })
	if _, err := b.Push(t.Context(), horse, Request{Names: both}); err != nil {
		t.Errorf("both together: %v", err)
	}

	// Of a push of one, the list for sha256sum keeps the lines of the other.
	lines := func() map[string]manifests.Digest {
		t.Helper()
		data, err := b.Get(t.Context(), manifests.SumsFile)
		try(t, err)
		sums, err := manifests.ParseSums(data)
		try(t, err)
		return sums
	}
	before := lines()
	if len(before) != 2*2+2*2 || before["horseseg.yaml"] == "" || before["stages/ingest.yaml"] != next { // files, indexes, parts
		t.Errorf("SHA256SUMS of both: %v", before)
	}
	copied, err := manifests.OpenStore(t.TempDir())
	try(t, err)
	if _, err := b.Pull(t.Context(), copied, Request{Names: both}); err != nil {
		t.Fatal(err)
	}
	made := rewrite(t, copied, ingest[0], ingest[0], func(m *manifests.Manifest) { m.Seed += 9 })
	rewrite(t, copied, "horseseg", "horseseg", func(m *manifests.Manifest) { m.Parent = made })
	if _, err := b.Pull(t.Context(), copied, Request{Names: ingest}); err == nil || !strings.Contains(err.Error(), "horseseg.yaml was made from it and would lose its parent") {
		t.Errorf("pull of the parent alone: %v", err)
	}
	if _, err := b.Pull(t.Context(), copied, Request{Names: both}); err != nil {
		t.Errorf("pull of both: %v", err)
	}
	last := rewrite(t, horse, "horseseg", "horseseg", func(m *manifests.Manifest) { m.Seed++ })
	mustPush(t, b, horse, Request{})
	before["horseseg.yaml"] = last
	if after := lines(); !maps.Equal(after, before) {
		t.Errorf("SHA256SUMS of one: %v, want %v", after, before)
	}

	index := filepath.Join(srv.Root, s3test.Bucket, "a/b/horseseg.yaml")
	data, err := os.ReadFile(index)
	try(t, err)
	for _, c := range []struct{ data, want string }{
		{strings.Replace(string(data), "schema: 1", "schema: 2", 1), "an index of schema 2 is there"},
		{"my: notes\n", "another file is there"},
		{"\x00\xff", "another file is there"},
	} {
		leave(t, srv, b, "horseseg.yaml", []byte(c.data), 0)
		refused(horse, horseseg, c.want)
		if now, err := os.ReadFile(index); err != nil || string(now) != c.data {
			t.Errorf("the file that was there is %q, %v", now, err)
		}
	}
	if res := mustPush(t, b, horse, Request{Replace: true}); res.Manifest == "" {
		t.Errorf("%+v", res)
	}
	if now, err := os.ReadFile(index); err != nil || !strings.Contains(string(now), "dataset: horseseg") {
		t.Errorf("--replace: %q, %v", now, err)
	}
}
