package ingest

import (
	"slices"
	"strings"
	"testing"
)

// A devkit that brings a label map of its own is read by it: background is 0 wherever it stands, and a class that has another
// number there than in the request is not mistaken for what has its number.
func TestLabelMap(t *testing.T) {
	for text, want := range map[string]string{
		"# label:color\nbackground:0,0,0::\nhorse:1,2,3::\n":         "background horse",
		"horse:1,2,3::\r\ndog:4,5,6::\r\n\r\nbackground:0,0,0::\r\n": "background horse dog",
		"horse:1,2,3::\nhorse:1,2,3::\nbackground:::":                "got horse twice",
		"horse:1,2,3::\n": "got no background",
	} {
		names, err := labelNumbers(text)
		if got := strings.Join(names, " "); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte("horse:0,0,0::\nbackground:0,0,0::\n")})
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "labelmap.txt: gives horse the number 1, class.voc says 13: --set class.voc=1") {
		t.Errorf("got %v", err)
	}
	names := slices.Repeat([]string{"x"}, 13)
	for i := range names {
		names[i] = strings.Repeat("x", i+1)
	}
	for _, last := range []string{"horse", "zebra"} { // the right number; a map without the class says nothing
		plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte("background\n" + strings.Join(names[:12], "\n") + "\n" + last)})
		mustIngest(t, req)
	}
}
