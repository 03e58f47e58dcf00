package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"hdseg/manifests"
)

// A run that a full disk (or whatever else) stops in the middle of a write leaves no file under a final name that is not
// whole, and no manifest; the same run later ends like a clean one.
func TestFailedWriteLeavesNothing(t *testing.T) {
	req := world(t)
	want, clean := mustIngest(t, req)
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A file where a folder has to be keeps masks from being written.
	block := filepath.Join(store.Dir(), "masks")
	if err := os.WriteFile(block, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), req, store, nil); err == nil {
		t.Fatal("a store that cannot be written to is an error")
	}
	whole := tree(t, clean)
	for p, d := range tree(t, store) {
		if p != "masks" && whole[p] != d {
			t.Errorf("%s: other bytes than those of a clean run", p)
		}
	}
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	got, err := Run(t.Context(), req, store, nil)
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(tree(t, store), whole) {
		t.Errorf("the second run differs from a clean one: %v", err)
	}
}

// A stored file that has lost bytes is not believed: reading it by its digest fails, and the next run writes it
// again.
func TestShortFileIsReplaced(t *testing.T) {
	req := world(t)
	want, store := mustIngest(t, req)
	whole := tree(t, store)
	for i, r := range want.Manifest.Records {
		file := filepath.Join(store.Dir(), filepath.FromSlash(r.Image.Path))
		st, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			err = os.Truncate(file, st.Size()/2)
		} else { // of the right size
			err = os.WriteFile(file, make([]byte, st.Size()), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Read(r.Image.Path, r.Image.SHA256); err == nil {
			t.Errorf("%s: changed bytes were read", r.ID)
		}
	}
	if got, err := Run(t.Context(), req, store, nil); err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(tree(t, store), whole) {
		t.Errorf("the files were not written again: %v", err)
	}
}

// A run that is stopped leaves no temporary file, and one that was killed leaves what the next one sweeps away.
func TestTemporariesAreSwept(t *testing.T) {
	req := world(t)
	dir := t.TempDir()
	store, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	left := func() int {
		entries, err := os.ReadDir(filepath.Join(dir, ".tmp"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return len(entries)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Run(ctx, req, store, func(_ string, done, _ int) {
		if done == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || left() != 0 {
		t.Errorf("stopped: %v, %d temporary files", err, left())
	}
	f, release, err := store.CreateTemp() // a process that spools ...
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	release() // ... and dies
	if store, err = manifests.OpenStore(dir); err != nil || left() != 0 {
		t.Errorf("killed: %v, %d temporary files", err, left())
	}
	if _, err := Run(t.Context(), req, store, nil); err != nil || left() != 0 {
		t.Errorf("after that: %v, %d temporary files", err, left())
	}
}

// Two runs into one store at a time do not write into each other's files.
func TestTwoRunsAtOnce(t *testing.T) {
	req := world(t)
	want, clean := mustIngest(t, req)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		store, err := manifests.OpenStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if got, err := Run(t.Context(), req, store, nil); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
	store, err := manifests.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(tree(t, store), tree(t, clean)) {
		t.Error("the store differs from a clean one")
	}
}

// What failed is not done: it is tried again, and kept once its source is sound.
func TestFailedRecordIsTriedAgain(t *testing.T) {
	req := folderOf(t, member{"images/a.jpg", []byte("404")}, member{"images/b.jpg", jpegBytes(40, 30, 2)})
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for kept := 1; kept <= 2; kept++ {
		res, err := Run(t.Context(), req, store, nil)
		if err != nil || res.Kept != kept || res.Dropped != 2-kept {
			t.Errorf("kept %d, dropped %d, %v", res.Kept, res.Dropped, err)
		}
		plant(t, req.Folders[0], member{"images/a.jpg", jpegBytes(40, 30, 1)})
	}
}
