package transfer

import (
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hdseg/manifests"
)

// files counts what lies in a folder.
func files(t *testing.T, dir string) (n int) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(_ string, _ fs.DirEntry, err error) error { n++; return err }); err != nil {
		t.Fatal(err)
	}
	return n
}

// The row with all pieces is what Run and Evaluate give, a row's pieces are those before it, and nothing is kept.
func TestAblate(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	dir := t.TempDir()
	for id, mask := range truth {
		writeTruth(t, filepath.Join(dir, id+".png"), mask)
	}
	res := run(t, m, store, 2)
	rep, err := Evaluate(res.Manifest, store, dir, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, store.Dir())
	rows, err := Ablate(context.Background(), res.Manifest, store, dir, small(), "", 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := files(t, store.Dir()); got != before {
		t.Errorf("%d files in the store, want %d as before", got, before)
	}
	if _, err := Ablate(context.Background(), res.Manifest, store, t.TempDir(), small(), "", 2, nil); err == nil || !strings.Contains(err.Error(), ".png") {
		t.Errorf("without true masks: got %v", err)
	}
	var names []string
	whole := map[manifests.Tier]AblationRow{}
	for _, r := range rows {
		names = append(names, string(r.Tier)+": "+r.Piece)
		if r.Piece == "+ class model" && r.Tier == manifests.BBox || r.Piece == "+ staged sources" {
			whole[r.Tier] = r
		}
	}
	want := []string{"bbox: nearest-neighbor prior", "bbox: ridge prior", "bbox: + colour models", "bbox: + pairwise terms", "bbox: + class model",
		"bbox: superpixels for pixels", "bbox: superpixels, rough borders",
		"label: nearest-neighbor prior", "label: ridge prior", "label: + colour models", "label: + pairwise terms", "label: + class model",
		"label: + division by expected IoU", "label: + object proposals", "label: + staged sources", "label: superpixels for pixels", "label: superpixels, rough borders"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got rows %q, want %q", names, want)
	}
	for i, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		if got, want := whole[tier], rep.Rows[i]; got.Images != want.Images || got.IoUMean != want.IoUMean || got.BoundaryF != want.BoundaryF {
			t.Errorf("%s: got %+v, want %+v", tier, got.Row, want)
		}
	}
}
