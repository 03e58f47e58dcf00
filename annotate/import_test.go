package annotate

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hdseg/annotate/campaign"
	"hdseg/manifests"
)

func grey(t *testing.T, width, height int, px ...uint8) []byte {
	t.Helper()
	g := image.NewGray(image.Rect(0, 0, width, height))
	copy(g.Pix, px)
	var b bytes.Buffer
	if err := png.Encode(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImport(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	record := func(id string) manifests.Record {
		return manifests.Record{ID: id, Split: manifests.Train, Tier: manifests.Label, Image: manifests.Image{Width: 3, Height: 2, SHA256: manifests.Sum([]byte(id))}}
	}
	m := &manifests.Manifest{Records: []manifests.Record{record("a"), record("b"), record("c")}}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"a.png": grey(t, 3, 2, 255, 255, 0, 128, 0, 0),
		"b.png": grey(t, 2, 3, 0, 0, 0, 0, 0, 0), // turned
		"c.png": grey(t, 3, 2, 7, 0, 0, 0, 0, 0), // neither ground, figure nor void
		"x.png": grey(t, 3, 2),                   // of no record
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	req := Request{Format: "png", Path: dir, By: "Ann", At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Workers: 2}
	out, done, skips, err := imported(context.Background(), m, store, req)
	if err != nil {
		t.Fatal(err)
	}
	if done != 1 || len(skips) != 3 {
		t.Fatalf("got %d done and skips %v, want 1 and those of b, c and x", done, skips)
	}
	k, ok := out.Records[0].MaskOf(manifests.Manual)
	if !ok || k.Figure != 2 || k.Void != 1 || k.Revision != 0 || k.WasAttributedTo != "Ann" || k.GeneratedAtTime != "2026-03-04T05:06:07Z" {
		t.Errorf("got mask %+v", k)
	}
	if len(m.Records[0].Masks) != 0 {
		t.Error("the input manifest changed")
	}
	if got, err := Import(context.Background(), out, store, req); err != nil || got.Done != 0 || got.Unchanged != 1 {
		t.Fatalf("the same mask again: got %+v, %v, want it left out", got, err)
	}
	req.AcceptUnchanged = true
	again, _, _, err := imported(context.Background(), out, store, req)
	if err != nil {
		t.Fatal(err)
	}
	if k, _ := again.Records[0].MaskOf(manifests.Manual); k.Revision != 1 || len(again.Records[0].Masks) != 2 {
		t.Errorf("second import: got revision %d of %d masks, want 1 of 2", k.Revision, len(again.Records[0].Masks))
	}
}

// What a link leads to is imported, and a broken one is listed; neither ends the import.
func TestImportLinks(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests.Manifest{}
	for _, id := range []string{"a", "b"} {
		m.Records = append(m.Records, manifests.Record{ID: id, Image: manifests.Image{Width: 3, Height: 2, SHA256: manifests.Sum([]byte(id))}})
	}
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(file, grey(t, 3, 2, 255, 255, 0, 128, 0, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a.png": file, "b.png": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("this system makes no symbolic links: ", err)
		}
	}
	out, done, skips, err := imported(context.Background(), m, store, Request{Format: "png", Path: dir, By: "Ann", At: time.Unix(1, 0), Workers: 1})
	if err != nil || done != 1 || len(skips) != 1 || skips[0].Record != "b" || skips[0].Reason != "bad_mask" {
		t.Fatalf("got %d done, skips %v, %v, want a and b", done, skips, err)
	}
	if k, ok := out.Records[0].MaskOf(manifests.Manual); !ok || k.Figure != 2 {
		t.Errorf("the linked mask: got %+v", k)
	}
}

// A record's mask may be named by its id or by its key: of two that name one record neither is taken. Many workers read while the
// others' masks are taken.
func TestImportTwoSpellings(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, dir := &manifests.Manifest{}, t.TempDir()
	for i := range 40 {
		id := fmt.Sprintf("horse %d", i)
		m.Records = append(m.Records, manifests.Record{ID: id, Image: manifests.Image{Width: 3, Height: 2, SHA256: manifests.Sum([]byte(id))}})
		for x, name := range []string{id, campaign.Key(id)}[:1+i%2] {
			px := make([]uint8, 6)
			px[x] = 255
			if err := os.WriteFile(filepath.Join(dir, name+".png"), grey(t, 3, 2, px...), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, done, skips, err := imported(context.Background(), m, store, Request{Format: "png", Path: dir, By: "Ann", At: time.Unix(1, 0), Workers: 4})
	if err != nil || done != 20 || len(skips) != 40 {
		t.Fatalf("got %d done, %d skips, %v, want 20 and 40", done, len(skips), err)
	}
	for i := range out.Records {
		if r := &out.Records[i]; len(r.Masks) != 1-i%2 || len(r.Masks) > 0 && r.Masks[0].Revision != 0 {
			t.Errorf("%s: got %d masks, want %d", r.ID, len(r.Masks), 1-i%2)
		}
	}
	for _, s := range skips {
		if !strings.Contains(s.Detail, ".png: several names may mean horse ") {
			t.Errorf("got %+v", s)
		}
	}
}

// imported is Import with its result in parts.
func imported(ctx context.Context, m *manifests.Manifest, store *manifests.Store, req Request) (*manifests.Manifest, int, []manifests.Skip, error) {
	got, err := Import(ctx, m, store, req)
	if err != nil {
		return nil, 0, nil, err
	}
	return got.Manifest, got.Done, got.Skips, nil
}
