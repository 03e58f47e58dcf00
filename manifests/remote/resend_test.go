package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// flip changes a byte of what the server keeps; what it says of the object stays.
func flip(t *testing.T, srv *s3test.Server, path string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(srv.Root, s3test.Bucket, "a/b", path), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, 40); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b, 40); err != nil {
		t.Fatal(err)
	}
}

// What the server keeps damaged no push sees, with Verify neither: pull fails and says what to do, and that repairs it, be it a picture, a picture sent in
// parts, a mask, a part of the manifest or the list of sums. A damaged index any push repairs.
func TestResend(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 1, 6<<20, 31)
	b := open(t, srv.URL, place)
	b.opts.Attempts = 1
	mustPush(t, b, s, Request{})
	m, _, err := manifests.Read(s, "horseseg")
	if err != nil {
		t.Fatal(err)
	}
	index, err := s.Read("horseseg.yaml", "")
	if err != nil {
		t.Fatal(err)
	}
	h, err := parseHead(index)
	if err != nil {
		t.Fatal(err)
	}
	try := func() error {
		to, err := manifests.OpenStore(t.TempDir())
		if err == nil {
			_, err = b.Pull(t.Context(), to, Request{Names: horseseg})
		}
		return err
	}
	for _, path := range []string{m.Records[0].Image.Path, m.Records[1].Masks[0].Path, h.Parts[0].Path} {
		flip(t, srv, path)
		mustPush(t, b, s, Request{Verify: true, Replace: true})
		if err := try(); err == nil || !strings.Contains(err.Error(), path+": other bytes arrive") || !strings.Contains(err.Error(), "push --resend "+path) {
			t.Errorf("%s: got %v", path, err)
		}
		if res := mustPush(t, b, s, Request{Resend: []string{"images/nothing.png", path}}); !slices.Equal(res.Resent, []string{path}) {
			t.Errorf("%s: %+v", path, res)
		}
		if err := try(); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{m.Records[1].Image.Path, h.Parts[0].Path, manifests.SumsFile} {
		flip(t, srv, path)
	}
	if res := mustPush(t, b, s, Request{Resend: []string{ResendAll}}); res.Sent != 4 {
		t.Errorf("all: %+v", res)
	}
	if err := try(); err != nil {
		t.Error(err)
	}
	if data, _, err := b.get(t.Context(), manifests.SumsFile, ""); err != nil || data == nil {
		t.Errorf("the list: %v", err)
	}
	flip(t, srv, "horseseg.yaml")
	if err := try(); err == nil || !strings.Contains(err.Error(), "horseseg.yaml: other bytes arrive") {
		t.Errorf("the index: got %v", err)
	}
	mustPush(t, b, s, Request{})
	if err := try(); err != nil {
		t.Error(err)
	}
}

// So are archives of a folder of shards and their index.
func TestResendFiles(t *testing.T) {
	srv := s3test.Start(t)
	s, _ := dataSet(t, 1, 500, 32)
	b := open(t, srv.URL, place)
	b.opts.Attempts = 1
	m, _, err := manifests.Read(s, "horseseg")
	if err != nil {
		t.Fatal(err)
	}
	im := m.Records[0].Image
	f := Files{Index: "sh/" + ShardIndex, Data: []byte(fmt.Sprintf(`{"header": {"dataset": "horseseg"}, "shards": [%q]}`, im.Path)), List: []File{{im.Path, im.SHA256}}}
	push := func(resend ...string) {
		t.Helper()
		if _, err := b.Push(t.Context(), s, Request{Archives: []Files{f}, Resend: resend}); err != nil {
			t.Fatal(err)
		}
	}
	push()
	flip(t, srv, im.Path)
	flip(t, srv, f.Index)
	push(im.Path)
	if got, _, err := b.get(t.Context(), f.Index, ""); err != nil || string(got) != string(f.Data) {
		t.Errorf("the index: %q, %v", got, err)
	}
	if _, _, err := b.get(t.Context(), im.Path, im.SHA256); err != nil {
		t.Error(err)
	}
}

// An index has a bound, and what is named like one and has not what every manifest has is none: ls and pull pass it by, and say so.
func TestForeignIndexes(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 1, 500, 33)
	mustPush(t, b, s, Request{})
	leave(t, srv, b, "thin.yaml", []byte("name: thin\ndataset: horseseg\n"), 0)
	large := leave(t, srv, b, "large.yaml", []byte("schema: 1\nname: large\ndataset: horseseg\nstage: split\n"), 0)
	if err := os.Truncate(large, mostOf("large.yaml")+1); err != nil {
		t.Fatal(err)
	}
	l, err := b.List(t.Context())
	if err != nil || len(l.DataSets) != 1 || !slices.Equal(l.Foreign, []string{"large.yaml", "thin.yaml"}) {
		t.Errorf("%+v, %v", l, err)
	}
	if _, _, err := b.get(t.Context(), "large.yaml", ""); err == nil || !strings.Contains(err.Error(), "it is no index: got 1048577 bytes, want at most 1048576") {
		t.Errorf("got %v", err)
	}
}

// A place is written in one way: no name in it is empty; one slash at the end is none.
func TestEmptyNames(t *testing.T) {
	for url, want := range map[string]string{"s3://sets": "", "s3://sets/": "", "s3://sets/x": "x", "s3://sets/x/": "x", "s3://sets/x/y/": "x/y"} {
		if _, prefix, err := ParseURL(url); err != nil || prefix != want {
			t.Errorf("%s: %q, %v", url, prefix, err)
		}
	}
	for _, url := range []string{"s3://sets//", "s3://sets//x", "s3://sets/x//", "s3://sets/x//y", "s3://sets/x//y/", "s3:///x"} {
		if _, _, err := ParseURL(url); err == nil {
			t.Errorf("%s is taken", url)
		}
	}
}
