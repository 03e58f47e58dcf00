package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests/format"
)

// Stanford's names are for a tree with exactly its labels; other names come from the command line or the tree.
func TestLabelsOfScenes(t *testing.T) {
	stanford := strings.Fields("sky tree road grass water building mountain object")
	upTo := func(n int) []ingest.Scene {
		m := &format.Indexed{Pix: []uint8{255}}
		for l := range n {
			m.Pix = append(m.Pix, uint8(l))
		}
		return []ingest.Scene{{Labels: m}}
	}
	dir := t.TempDir()
	missing, file := filepath.Join(dir, "none.txt"), filepath.Join(dir, "labels.txt")
	if err := os.WriteFile(file, []byte("bus\r\ncar\nroad sign\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		labels int
		names  []string
		file   string
		want   string
	}{
		{8, nil, missing, "[sky tree road grass water building mountain object]"},
		{11, nil, missing, "[label 0 label 1 label 2 label 3 label 4 label 5 label 6 label 7 label 8 label 9 label 10]"},
		{3, nil, missing, "[label 0 label 1 label 2]"},
		{3, nil, file, "[bus car road sign]"},
		{3, nil, filepath.Join(file, "labels.txt"), "[label 0 label 1 label 2]"}, // the tree is an archive
		{3, []string{"a", "b", "c"}, file, "[a b c]"},
		{4, nil, file, "labels.txt: got 3 names"},
		{2, []string{"a", "a"}, missing, `--labels: name 1: got "a"`},
	} {
		got, err := labelNames(upTo(c.labels), c.names, stanford, c.file)
		if text := fmt.Sprint(got); text != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d labels, names %q: got %s, %v, want %s", c.labels, c.names, text, err, c.want)
		}
	}
}
