package remote

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// A push with deletion that ends just before another's index appears takes nothing from it.
func TestDeleteBesidePush(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 2, 500, 41)
	direct := open(t, srv.URL, place)
	mustPush(t, direct, s, Request{})
	next, digest := dataSet(t, 2, 500, 42)
	var once sync.Once
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/horseseg.yaml") {
			once.Do(func() {
				if res, err := direct.Push(context.Background(), s, Request{Names: horseseg, Delete: true, MaxDelete: 100}); err != nil || len(res.Deleted) < 8 {
					t.Errorf("%+v, %v", res, err)
				}
			})
		}
		return s3test.Pass
	})
	mustPush(t, open(t, proxy.URL, place), next, Request{})
	if _, res := mustPull(t, direct, Request{}); res.Manifest != digest {
		t.Errorf("%+v", res)
	}
}

// A pull with deletion leaves a folder alone in which another manifest is.
func TestPullDeleteOther(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 2, 500, 43)
	b := open(t, srv.URL, place)
	mustPush(t, b, s, Request{})
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	if _, err := manifests.Write(s, "stages/split", m); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Pull(t.Context(), s, Request{Names: horseseg, Delete: true, MaxDelete: 100}); err == nil || !strings.Contains(err.Error(), "stages/split.yaml is there, too") {
		t.Errorf("got %v", err)
	}
}

func TestParseURLPlain(t *testing.T) {
	for _, url := range []string{"s3://bkt/odd/../up", "s3://bkt/a/./b", "s3://bkt/..", "s3://bkt/a//b", "s3:///a"} {
		if _, _, err := ParseURL(url); err == nil {
			t.Errorf("%s was accepted", url)
		}
	}
	if bucket, prefix, err := ParseURL("s3://bkt/a/b/"); err != nil || bucket != "bkt" || prefix != "a/b" {
		t.Errorf("%q, %q, %v", bucket, prefix, err)
	}
}

// The manifest of a choice replaces that of a whole set on neither side.
func TestChoiceSparesWhole(t *testing.T) {
	srv := s3test.Start(t)
	s, digest := dataSet(t, 2, 500, 44)
	b := open(t, srv.URL, place)
	mustPush(t, b, s, Request{})
	req := Request{Names: horseseg, Choice: Choice{Splits: []manifests.Split{manifests.Test}}}
	if _, err := b.Push(t.Context(), s, req); err == nil || !strings.Contains(err.Error(), "the whole set is there") {
		t.Errorf("push: %v", err)
	}
	if _, err := b.Pull(t.Context(), s, req); err == nil || !strings.Contains(err.Error(), "the whole set is there") {
		t.Errorf("pull: %v", err)
	}
	if _, d, err := manifests.Read(s, "horseseg"); err != nil || d != digest {
		t.Errorf("%s, %v", d.Short(), err)
	}
}
