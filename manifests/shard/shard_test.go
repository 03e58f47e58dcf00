package shard

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// world is a store of n pictures a split and tier; ids have dots, and one record has an external mask too.
func world(t testing.TB, n int) (*manifests.Store, *manifests.Manifest, manifests.Digest) {
	t.Helper()
	s, err := manifests.OpenStore(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{Header: manifests.Header{Dataset: "horseseg", Class: manifests.Class{Name: "horse"}, Stage: "transfer", Tool: "hdseg",
		Skipped: []manifests.Skip{{Record: "q", Reason: "corrupt_image"}}}}
	m.Configure([]byte("options: [1, 2]\n"))
	for i := range 4 * n {
		split, tier := manifests.Train, []manifests.Tier{manifests.Manual, manifests.BBox, manifests.Label, manifests.Manual}[i%4]
		if i%4 == 3 {
			split = manifests.Test
		}
		img := raster.NewRGB(20+i%5, 11)
		for k := range img.Pix {
			img.Pix[k] = uint8(k*i + k*k)
		}
		r := manifests.Record{ID: fmt.Sprintf("a.b_%03d", i), Source: "folder", Split: split, Tier: tier, Image: manifests.Image{
			Width: img.Width, Height: img.Height, Format: "png", Orientation: 1, Pixels: manifests.Sum(img.Pix)}}
		if r.Image.Path, r.Image.SHA256, err = s.Put("images", r.ID, "png", raster.EncodePNG(img)); err != nil {
			t.Fatal(err)
		}
		if tier == manifests.BBox {
			r.Boxes = []manifests.Box{{XMin: 1, YMin: 2, XMax: 9, YMax: 10}}
		}
		tiers := []manifests.Tier{tier}
		if i%8 == 0 {
			tiers = append(tiers, "external:a.b")
		}
		for j, k := range tiers {
			mask := raster.NewMask(img.Width, img.Height)
			for p := range mask.Pix {
				mask.Pix[p] = uint8((p/3 + i + j) % 2)
			}
			km := manifests.Mask{Tier: k, Quality: 0.1 * float64(j), Provenance: manifests.Provenance{WasGeneratedBy: "test", Used: []manifests.Digest{r.Image.SHA256}}}
			_, km.Figure, km.Void = mask.Areas()
			if km.Path, km.SHA256, err = s.Put("masks/"+tierName(k), r.ID, "png", raster.EncodeMaskPNG(mask)); err != nil {
				t.Fatal(err)
			}
			r.Masks = append(r.Masks, km)
		}
		m.Records = append(m.Records, r)
	}
	digest, err := manifests.Write(s, "horseseg", m)
	if err != nil {
		t.Fatal(err)
	}
	return s, m, digest
}

// small is below what Validate accepts from users, so that a test has many shards.
const small = 20_000

func mustPack(t testing.TB, s *manifests.Store, m *manifests.Manifest, d manifests.Digest, dir string, workers int) *Index {
	t.Helper()
	ix, err := Pack(t.Context(), s, "horseseg", m, d, dir, Defaults(), workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// files returns the bytes of a folder's files.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			out[e.Name()] = string(data)
		}
	}
	return out
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// Packed, verified and unpacked, the manifest has the same digest; shards do not depend on the number of workers.
func TestPackVerifyUnpack(t *testing.T) {
	s, m, digest := world(t, 20)
	dir := filepath.Join(t.TempDir(), "shards")
	ix := mustPack(t, s, m, digest, dir, 1)
	var names []string
	for _, sh := range ix.Shards {
		names = append(names, sh.Name)
	}
	if want := []string{"test-manual-000000.tar", "train-bbox-000000.tar", "train-label-000000.tar", "train-manual-000000.tar"}; !slices.Equal(names, want) {
		t.Fatalf("got %v, want %v", names, want)
	}
	first := files(t, dir)
	other := filepath.Join(t.TempDir(), "other")
	mustPack(t, s, m, digest, other, 8)
	if !same(first, files(t, other)) {
		t.Error("1 and 8 workers give other bytes")
	}
	if faults, err := Verify(t.Context(), dir, m, 2, nil); err != nil || len(faults) > 0 {
		t.Errorf("got %v, %v", faults, err)
	}
	back, err := manifests.OpenStore(filepath.Join(t.TempDir(), "back"))
	if err != nil {
		t.Fatal(err)
	}
	if _, name, err := Unpack(t.Context(), dir, back, 2, false); err != nil || name != "horseseg" {
		t.Fatal(name, err)
	}
	if _, d, err := manifests.Read(back, "horseseg"); err != nil || d != digest {
		t.Errorf("unpacked: sha256 %s, %v; want %s", d.Short(), err, digest.Short())
	}
	if faults, err := manifests.Check(t.Context(), back, "horseseg", manifests.CheckOptions{Workers: 2}); err != nil || len(faults) > 0 {
		t.Errorf("unpacked: %v, %v", faults, err)
	}
}

// Row 76: the plan is fixed before work starts. What a lost and a spoiled shard are packed anew for keeps its name and its bytes, and
// another plan does not enter the folder.
func TestRow76ResumeKeepsThePlan(t *testing.T) {
	s, m, digest := world(t, 12)
	dir := filepath.Join(t.TempDir(), "shards")
	ix := mustPack(t, s, m, digest, dir, 1)
	names := []string{ix.Shards[0].Name, ix.Shards[1].Name}
	first := files(t, dir)
	if err := os.Remove(filepath.Join(dir, names[0])); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, names[1]), bytes.Repeat([]byte{7}, len(first[names[1]])), 0o666); err != nil {
		t.Fatal(err)
	}
	mustPack(t, s, m, digest, dir, 2)
	if !same(first, files(t, dir)) {
		t.Error("resumed: other bytes")
	}
	o := Defaults()
	o.Tiers = []manifests.Tier{manifests.Manual}
	if _, err := Pack(t.Context(), s, "horseseg", m, digest, dir, o, 1, nil); err == nil {
		t.Error("another plan went into the folder")
	}
}

// Shards are cut at the target, no sample is, and all are there once.
func TestPlan(t *testing.T) {
	s, m, digest := world(t, 30)
	p := &Plan{Manifest: digest, TargetBytes: small}
	var all []*manifests.Record
	for i := range m.Records {
		all = append(all, &m.Records[i])
	}
	if err := p.cut(s, [2]string{"train", "external:a.b"}, all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, sh := range p.Shards {
		if sh.Name != fmt.Sprintf("train-external-a.b-%06d.tar", i) {
			t.Errorf("got name %s", sh.Name)
		}
		if sh.Bytes > small {
			t.Errorf("%s: %d bytes, want at most %d", sh.Name, sh.Bytes, small)
		}
		for _, id := range sh.Samples {
			if id != m.Records[n].ID {
				t.Fatalf("sample %d: got %s, want %s", n, id, m.Records[n].ID)
			}
			n++
		}
	}
	if n != len(m.Records) || len(p.Shards) < 5 {
		t.Errorf("%d samples in %d shards", n, len(p.Shards))
	}
	m.Records[1].ID = strings.Replace(m.Records[0].ID, ".", "%2E", 1)
	if _, err := NewPlan(s, m, digest, Defaults()); err == nil || !strings.Contains(err.Error(), "the key") {
		t.Errorf("two ids of one key: %v", err)
	}
}

// Verify finds what is wrong with shards, whatever it is.
func TestVerifyFaults(t *testing.T) {
	s, m, digest := world(t, 4)
	repack := func(data []byte, change func(i int, h *tar.Header, b []byte) (*tar.Header, []byte)) []byte {
		var out bytes.Buffer
		r, w := tar.NewReader(bytes.NewReader(data)), tar.NewWriter(&out)
		for i := 0; ; i++ {
			h, err := r.Next()
			if err == io.EOF {
				break
			}
			b, err2 := io.ReadAll(r)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			h, b = change(i, h, b)
			if h == nil {
				continue
			}
			h.Size = int64(len(b))
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			w.Write(b)
		}
		w.Close()
		return out.Bytes()
	}
	const name = "train-manual-000000.tar"
	for _, c := range []struct {
		name string
		edit func([]byte) []byte
		want string
	}{
		{"nothing", nil, ""},
		{"missing", func([]byte) []byte { return nil }, "no such file"},
		{"flipped byte in a picture", func(b []byte) []byte { b[600] ^= 1; return b }, "got sha256"},
		{"cut at a member", func(b []byte) []byte { return b[:len(b)-1024] }, "two blocks of zeros"},
		{"cut inside a member", func(b []byte) []byte { return b[:900] }, "a member of this sample"},
		{"member taken out", func(b []byte) []byte {
			return repack(b, func(i int, h *tar.Header, d []byte) (*tar.Header, []byte) {
				if i == 1 {
					return nil, nil
				}
				return h, d
			})
		}, "got 3 members, want 4"},
		{"renamed member", func(b []byte) []byte {
			return repack(b, func(i int, h *tar.Header, d []byte) (*tar.Header, []byte) {
				if i == 0 {
					h.Name = "z.png"
				}
				return h, d
			})
		}, "got z.png"},
		{"edited record", func(b []byte) []byte {
			return repack(b, func(i int, h *tar.Header, d []byte) (*tar.Header, []byte) {
				return h, bytes.Replace(d, []byte(`"source":"folder"`), []byte(`"source":"sauce"`), 1)
			})
		}, "is not the manifest's record"},
		{"another time", func(b []byte) []byte {
			return repack(b, func(i int, h *tar.Header, d []byte) (*tar.Header, []byte) { h.Mode = 0o600; return h, d })
		}, "not as packed"},
		{"one sample more", func(b []byte) []byte {
			return append(slices.Clone(b[:len(b)-1024]), b...)
		}, "more than the planned samples"},
	} {
		dir := filepath.Join(t.TempDir(), "shards")
		mustPack(t, s, m, digest, dir, 1)
		file := filepath.Join(dir, name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.edit != nil {
			if data = c.edit(data); data == nil {
				err = os.Remove(file)
			} else {
				err = os.WriteFile(file, data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		faults, err := Verify(t.Context(), dir, m, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprint(faults)
		if c.want == "" && len(faults) > 0 || !strings.Contains(all, c.want) {
			t.Errorf("%s: got %s, want %q", c.name, all, c.want)
		}
	}
	dir := filepath.Join(t.TempDir(), "shards")
	mustPack(t, s, m, digest, dir, 1)
	more := *m
	more.Records = append(slices.Clone(m.Records), m.Records[0])
	more.Records[len(m.Records)].ID = "new"
	if faults, err := Verify(t.Context(), dir, &more, 2, nil); err != nil || len(faults) != 1 || faults[0].Record != "new" {
		t.Errorf("a record in no shard: got %v, %v", faults, err)
	}
}
