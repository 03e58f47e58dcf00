package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"hdseg/manifests"
)

// pyarrow, which shares no code with our writer's library, reads the values that were written.
func TestPyarrow(t *testing.T) {
	py := os.Getenv("HDSEG_PYTHON")
	if py == "" {
		py = "python3"
	}
	if out, err := exec.Command(py, "-c", "import pyarrow").CombinedOutput(); err != nil {
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		t.Skipf("SKIPPED: %s cannot import pyarrow (set HDSEG_PYTHON to one that can): %v: %s", py, err, lines[len(lines)-1])
	}
	images := []*Image{sample("2007_000032", 5), sample("é", 1)}
	images[1].Split, images[1].Labels = manifests.Test, nil
	_, dir := written(t, images...)
	for i, want := range images { // each is larger than a shard of the test
		out, err := exec.Command(py, "testdata/read.py", filepath.Join(dir, fmt.Sprintf("%04d.arrow", i))).Output()
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(out))
		var meta map[string]string
		if err := d.Decode(&meta); err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"hdseg.key": string(manifests.Sum([]byte("key"))), "hdseg.version": manifests.Version}; !reflect.DeepEqual(meta, want) {
			t.Errorf("metadata %v, want %v", meta, want)
		}
		var row struct {
			ID       string
			Split    manifests.Split
			Features [][]float32
			Edges    [][2]int32
			Sizes    []int32
			Labels   []struct {
				Tier manifests.Tier
				Y    []int
			}
		}
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		got := &Image{ID: row.ID, Split: row.Split, N: len(row.Features), Dim: 3, Sizes: row.Sizes}
		for _, f := range row.Features {
			got.Features = append(got.Features, f...)
		}
		if len(row.Edges) > 0 {
			got.Edges = row.Edges
		}
		for _, l := range row.Labels {
			var y []uint8
			for _, v := range l.Y {
				y = append(y, uint8(v))
			}
			got.Labels = append(got.Labels, Labels{l.Tier, y})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if d.More() {
			t.Error("more rows than images")
		}
	}
}
