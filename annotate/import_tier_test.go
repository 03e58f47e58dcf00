package annotate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// Masks of another tool become a tier of their own, beside the record's manual mask, and need no time.
func TestImportOfAnotherTool(t *testing.T) {
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	manual := manifests.Mask{Tier: manifests.Manual, Path: "masks/manual/a.png", Figure: 6}
	m := &manifests.Manifest{Records: []manifests.Record{{ID: "a", Split: manifests.Train, Tier: manifests.Manual, Image: manifests.Image{Width: 3, Height: 2}, Masks: []manifests.Mask{manual}}}}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.png"), grey(t, 3, 2, 255, 255, 0, 0, 0, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	req := Request{Format: "png", Path: dir, Tier: "external:tool", By: "tool 2.1", Workers: 1, AcceptUnchanged: true}
	for revision := range 2 {
		out, done, _, err := imported(context.Background(), m, store, req)
		if err != nil || done != 1 {
			t.Fatalf("got %d done, %v", done, err)
		}
		r := out.Records[0]
		k, ok := r.MaskOf("external:tool")
		if !ok || k.Revision != revision || k.Figure != 2 || k.GeneratedAtTime != "" || k.WasAttributedTo != "tool 2.1" || !strings.HasPrefix(k.Path, "masks/external-tool/") {
			t.Errorf("got %+v", k)
		}
		if was, _ := r.MaskOf(manifests.Manual); was.Figure != 6 || r.Tier != manifests.Manual {
			t.Errorf("the record became %+v", r)
		}
		m = out
	}
	for _, tier := range []manifests.Tier{"bbox", "label", "none", "external:", "external:a/b"} {
		req.Tier = tier
		if _, _, _, err := imported(context.Background(), m, store, req); err == nil {
			t.Errorf("tier %q: want an error", tier)
		}
	}
	req.Tier = "" // manual, which has a time
	if _, _, _, err := imported(context.Background(), m, store, req); err == nil {
		t.Error("a manual mask without a time: want an error")
	}
}
