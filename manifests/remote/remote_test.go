package remote

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// try ends a test at an error.
func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dataSet is a store with n records a split; images have the given size, masks are small. Nothing here decodes them.
func dataSet(t testing.TB, n, size int, seed uint64) (*manifests.Store, manifests.Digest) {
	t.Helper()
	s, err := manifests.OpenStore(filepath.Join(t.TempDir(), "store"))
	try(t, err)
	return s, fill(t, s, n, size, seed)
}

func fill(t testing.TB, s *manifests.Store, n, size int, seed uint64) manifests.Digest {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg", Class: manifests.Class{Name: "horse"}, Stage: "transfer", Seed: seed}}
	put := func(dir, id string, size int) (string, manifests.Digest) {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		p, d, err := s.Put(dir, id, "png", data)
		try(t, err)
		return p, d
	}
	for i := range 2 * n {
		r := manifests.Record{ID: fmt.Sprintf("n02374451_%d", i), Split: manifests.Train, Tier: manifests.Manual, Image: manifests.Image{Width: 9, Height: 9, Format: "png", Orientation: 1}}
		if i%2 == 1 {
			r.Split = manifests.Test
		}
		r.Image.Path, r.Image.SHA256 = put("images", r.ID, size)
		k := manifests.Mask{Tier: manifests.Manual, Provenance: manifests.Provenance{WasGeneratedBy: "test", Used: []manifests.Digest{r.Image.SHA256}}}
		k.Path, k.SHA256 = put("masks", r.ID, 300)
		r.Masks = []manifests.Mask{k}
		m.Records = append(m.Records, r)
	}
	d, err := manifests.WriteListed(s, "horseseg", m)
	try(t, err)
	return d
}

func open(t testing.TB, endpoint, url string) *Bucket {
	t.Helper()
	o := Defaults()
	o.Endpoint, o.Workers, o.PartBytes = endpoint, 4, 5<<20
	b, err := Open(t.Context(), url, o)
	try(t, err)
	return b
}

var horseseg = []string{"horseseg"}

const place = "s3://" + s3test.Bucket + "/a/b"

func mustPush(t testing.TB, b *Bucket, s *manifests.Store, req Request) *Result {
	t.Helper()
	req.Names = horseseg
	res, err := b.Push(t.Context(), s, req)
	try(t, err)
	return res
}

func mustPull(t testing.TB, b *Bucket, req Request) (*manifests.Store, *Result) {
	t.Helper()
	s, err := manifests.OpenStore(filepath.Join(t.TempDir(), "pulled"))
	try(t, err)
	req.Names = horseseg
	res, err := b.Pull(t.Context(), s, req)
	try(t, err)
	checked(t, s)
	return s, res
}

func checked(t testing.TB, s *manifests.Store) {
	t.Helper()
	if faults, err := manifests.Check(context.Background(), s, "horseseg", manifests.CheckOptions{Workers: 2}); err != nil || len(faults) > 0 {
		t.Fatalf("%v, %v", faults, err)
	}
}

// What was pushed comes back with the same digest; pushing and pulling again transfers nothing; a dry run changes nothing; splits can be
// chosen; what is not named is deleted only when asked, and only so many.
func TestPushPull(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, digest := dataSet(t, 6, 2000, 1)
	if res := mustPush(t, b, s, Request{DryRun: true}); res.Sent != 24 || res.Bytes == 0 {
		t.Errorf("dry run: %+v", res)
	}
	if _, err := os.Stat(filepath.Join(srv.Root, s3test.Bucket, "a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dry run wrote: %v", err)
	}
	if res := mustPush(t, b, s, Request{}); res.Sent != 24 || res.Kept != 0 || res.Manifest != digest {
		t.Errorf("first push: %+v", res)
	}
	if res := mustPush(t, b, s, Request{}); res.Sent != 0 || res.Kept != 24 {
		t.Errorf("second push: %+v", res)
	}
	back, res := mustPull(t, b, Request{})
	if res.Sent != 24 || res.Manifest != digest {
		t.Errorf("pull: %+v", res)
	}
	if res, err := b.Pull(t.Context(), back, Request{Names: horseseg}); err != nil || res.Sent != 0 || res.Kept != 24 {
		t.Errorf("second pull: %+v, %v", res, err)
	}
	list, err := b.List(t.Context())
	try(t, err)
	held, count := list.DataSets, list.Objects
	if len(held) != 1 || held[0].SHA256 != digest || held[0].Records != 12 || count != 24+3 || held[0].Counts[0] != (manifests.Count{Split: "train", Tier: "manual", Images: 6}) {
		t.Errorf("list: %+v, %d objects", held, count)
	}

	test, res := mustPull(t, b, Request{Choice: Choice{Splits: []manifests.Split{manifests.Test}}})
	m, _, err := manifests.Read(test, "horseseg")
	if err != nil || res.Sent != 12 || len(m.Records) != 6 || m.Parent != digest || m.Stage != manifests.StageChoice || m.Records[0].Split != manifests.Test {
		t.Errorf("pull of the test split: %+v, %v", res, err)
	}
	if _, err := b.Pull(t.Context(), test, Request{Names: horseseg, Choice: Choice{Tiers: []manifests.Tier{manifests.Label}}}); err == nil {
		t.Error("nothing was chosen, and pulled")
	}

	// Another manifest with other files: the old ones stay, until asked.
	fill(t, s, 3, 1000, 2)
	if res := mustPush(t, b, s, Request{}); res.Sent != 12 || len(res.Deleted) != 0 {
		t.Errorf("other files: %+v", res)
	}
	if _, err := b.Push(t.Context(), s, Request{Names: horseseg, Delete: true, MaxDelete: 24}); err == nil || !strings.Contains(err.Error(), "25 objects would be deleted, want at most 24") {
		t.Errorf("too many deletions: %v", err)
	}
	if res := mustPush(t, b, s, Request{Delete: true, MaxDelete: 25, DryRun: true}); len(res.Deleted) != 25 { // with the old part
		t.Errorf("dry deletion: %+v", res)
	}
	if res := mustPush(t, b, s, Request{Delete: true, MaxDelete: 25}); len(res.Deleted) != 25 || res.Kept != 12 {
		t.Errorf("deletion: %+v", res)
	}
	if res, err := b.Pull(t.Context(), back, Request{Names: horseseg, Delete: true, MaxDelete: 24}); err != nil || len(res.Deleted) != 24 || res.Sent != 12 {
		t.Errorf("pull with deletion: %+v, %v", res, err)
	}
	checked(t, back)
}

// Files above the part size go in parts; what an interrupted push had sent is not sent again; stale uploads are aborted.
func TestParts(t *testing.T) {
	srv := s3test.Start(t)
	s, digest := dataSet(t, 1, 17<<20, 3) // 4 parts each
	var mu sync.Mutex
	sent := 0
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
		if r.URL.Query().Get("partNumber") == "" {
			return s3test.Pass
		}
		mu.Lock()
		sent++
		late := sent > 5
		mu.Unlock()
		if late {
			time.Sleep(time.Second) // the five are through by then
			return s3test.Redirect  // for good
		}
		return s3test.Pass
	})
	b := open(t, proxy.URL, place)
	if _, err := b.Push(t.Context(), s, Request{Names: horseseg}); err == nil {
		t.Fatal("no error")
	}
	var again int
	proxy.Set(func(r *http.Request) s3test.Fault {
		if r.URL.Query().Get("partNumber") != "" {
			mu.Lock()
			again++
			mu.Unlock()
		}
		return s3test.Pass
	})
	if res := mustPush(t, b, s, Request{}); res.Manifest != digest {
		t.Errorf("%+v", res)
	}
	if again > 7 { // 3 for certain; of the five, those that were cancelled on a busy machine
		t.Errorf("all %d parts were sent again, although 5 were there", again)
	}
	mustPull(t, b, Request{})
	// An upload of an object that nothing names.
	left, err := b.api.CreateMultipartUpload(t.Context(), createInput(b, "images/left.png"))
	if err != nil || left.UploadId == nil {
		t.Fatal(err)
	}
	if res := mustPush(t, b, s, Request{Stale: time.Hour}); len(res.Pending) != 1 || len(res.Aborted) != 0 {
		t.Errorf("a young upload: %+v", res)
	}
	time.Sleep(1100 * time.Millisecond) // the server keeps seconds
	if res := mustPush(t, b, s, Request{Stale: time.Millisecond}); len(res.Aborted) != 1 || res.Aborted[0] != "images/left.png" {
		t.Errorf("a stale upload: %+v", res)
	}
	if list, err := b.uploads(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}

// Under any mixture of faults push and pull end with equal sides, or fail and do so when the faults end.
func TestFaults(t *testing.T) {
	srv := s3test.Start(t)
	for _, f := range []s3test.Fault{s3test.Refuse, s3test.Lose, s3test.Truncate, s3test.Flip, s3test.SlowDown, s3test.LieETag} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(f), 5))
			proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault {
				if f == s3test.LieETag && strings.Contains(r.URL.Path, ".yaml") {
					return s3test.Pass // the condition on the index needs a true one: see TestConflict
				}
				if f == s3test.Flip && r.URL.Query().Has("list-type") {
					return s3test.Pass // nothing covers a listing's bytes: a flipped name costs one more sending
				}
				if f == s3test.LieETag || rng.IntN(4) == 0 {
					return f
				}
				return s3test.Pass
			})
			b := open(t, proxy.URL, place+fmt.Sprint(f))
			s, digest := dataSet(t, 4, 3000, uint64(f))
			if res := mustPush(t, b, s, Request{}); res.Manifest != digest {
				t.Errorf("%+v", res)
			}
			if res := mustPush(t, b, s, Request{}); res.Sent != 0 {
				t.Errorf("again: %+v", res)
			}
			if _, res := mustPull(t, b, Request{}); res.Manifest != digest {
				t.Errorf("%+v", res)
			}
			if proxy.Injected(f) < 5 {
				t.Errorf("only %d faults were injected", proxy.Injected(f))
			}
		})
	}
}

// Of two pushers one wins; the other is told, and nothing of its manifest is seen.
func TestConflict(t *testing.T) {
	srv := s3test.Start(t)
	one, d1 := dataSet(t, 2, 500, 21)
	two, d2 := dataSet(t, 2, 500, 22)
	for _, first := range []bool{true, false} { // there is no index yet; there is one
		var once sync.Once
		proxy := s3test.NewProxy(t, srv, nil)
		direct, slow := open(t, srv.URL, place), open(t, proxy.URL, place)
		proxy.Set(func(r *http.Request) s3test.Fault {
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/horseseg.yaml") {
				once.Do(func() { // just before
					if _, err := direct.Push(context.Background(), two, Request{Names: horseseg}); err != nil {
						t.Error(err)
					}
				})
			}
			return s3test.Pass
		})
		if _, err := slow.Push(t.Context(), one, Request{Names: horseseg}); !errors.Is(err, ErrConflict) {
			t.Errorf("first %v: got %v, want a conflict", first, err)
		}
		if list, err := direct.List(t.Context()); err != nil || list.DataSets[0].SHA256 != d2 {
			t.Errorf("got %+v, %v", list.DataSets, err)
		}
		proxy.Set(nil)
		if res := mustPush(t, slow, one, Request{}); res.Manifest != d1 {
			t.Errorf("%+v", res)
		}
		if first {
			d1, d2 = fill(t, one, 2, 500, 25), fill(t, two, 2, 500, 23)
		}
	}
	// A server that lies about the index's ETag keeps the old index, and says why.
	d3 := fill(t, one, 2, 500, 24)
	proxy := s3test.NewProxy(t, srv, func(r *http.Request) s3test.Fault { return s3test.LieETag })
	if _, err := open(t, proxy.URL, place).Push(t.Context(), one, Request{Names: horseseg}); !errors.Is(err, ErrConflict) {
		t.Errorf("a lying ETag: %v", err)
	}
	if list, err := open(t, srv.URL, place).List(t.Context()); err != nil || list.DataSets[0].SHA256 != d1 || d1 == d3 {
		t.Errorf("got %+v, %v", list.DataSets, err)
	}
}

// Errors are one line, say what to do, and hold no secret.
func TestErrors(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 1, 100, 31)
	fault := func(f s3test.Fault) *s3test.Proxy {
		return s3test.NewProxy(t, srv, func(*http.Request) s3test.Fault { return f })
	}
	for _, c := range []struct {
		name, url, endpoint string
		env                 map[string]string
		want                string
	}{
		{"missing bucket", "s3://nobucket/x", srv.URL, nil, "there is no bucket nobucket"},
		{"wrong region", place, fault(s3test.Redirect).URL, nil, "the bucket is in region eu-central-1, not us-east-1: use --region eu-central-1"},
		{"clock", place, fault(s3test.Skew).URL, nil, "this machine's clock is wrong"},
		{"expired", place, fault(s3test.Expired).URL, nil, "the credentials have expired"},
		{"busy", place, fault(s3test.SlowDown).URL, nil, "the server is busy and was after 3 tries"},
		{"wrong key", place, srv.URL, map[string]string{"AWS_SECRET_ACCESS_KEY": "wrong"}, "the secret key is another: check AWS_SECRET_ACCESS_KEY"},
		{"unknown key", place, srv.URL, map[string]string{"AWS_ACCESS_KEY_ID": "nobody"}, "knows no such key id: check AWS_ACCESS_KEY_ID"},
		{"no TLS", place, strings.Replace(srv.URL, "http:", "https:", 1), nil, "the server speaks http, not https: use --endpoint http://"},
		{"no credentials", place, srv.URL, map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "no credentials: set AWS_ACCESS_KEY_ID"},
		{"no server", place, "http://127.0.0.1:1", nil, "no connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			o := Defaults()
			o.Endpoint, o.Attempts = c.endpoint, 3
			b, err := Open(t.Context(), c.url, o)
			try(t, err)
			_, err = b.Push(t.Context(), s, Request{Names: horseseg})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 250 {
				t.Errorf("got %v, want %q in one line", err, c.want)
			}
			if err != nil && (strings.Contains(err.Error(), s3test.SecretKey) || strings.Contains(err.Error(), s3test.AccessKey)) {
				t.Errorf("the credentials are in %v", err)
			}
		})
	}
	// A file that changed since the manifest was written is not sent.
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	name, err := s.Path(m.Records[0].Image.Path)
	try(t, err)
	try(t, os.WriteFile(name, []byte("other"), 0o666))
	b := open(t, srv.URL, place)
	if _, err := b.Push(t.Context(), s, Request{Names: horseseg}); err == nil || !strings.Contains(err.Error(), "the file here has other bytes") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(srv.Root, s3test.Bucket, "a/b/horseseg.yaml")); err == nil {
		t.Error("the manifest was pushed nevertheless")
	}
}
