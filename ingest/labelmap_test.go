package ingest

import (
	"slices"
	"strings"
	"testing"
)

// A devkit that brings a label map of its own is read by it, whatever class.voc says, and refused if the map lacks the class. A map
// elsewhere in the devkit counts too, the nearest one; others are left aside by name.
func TestLabelMap(t *testing.T) {
	voc := "background:0,0,0::\nhorse:192,0,128::\nx:128,0,0::\n" // the world's horses have VOC's color
	for _, at := range []string{"VOC2012/labelmap.txt", "labelmap.txt", "VOC2012/SegmentationClass/LabelMap.txt"} {
		req := world(t)
		clean, _ := mustIngest(t, world(t))
		want := clean.Kept
		req.Class.VOC = 0
		plant(t, req.VOC[0], member{at, []byte(voc + others)})
		if res, _ := mustIngest(t, req); res.Kept != want {
			t.Errorf("%s: kept %d pictures, want %d", at, res.Kept, want)
		}
	}
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte(voc + others)}, member{"labelmap.txt", []byte("background:0,0,0::\n")})
	if res, _ := mustIngest(t, req); !slices.ContainsFunc(res.Aside, func(a Aside) bool { return a.Code == "label_map_not_used" }) {
		t.Errorf("got %+v, want that a label map was not used", res.Aside)
	}
	req = world(t)
	plant(t, req.VOC[0], member{"VOC2012/labelmap.txt", []byte("background\nzebra\n")})
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "labelmap.txt has no label horse, only background, zebra") {
		t.Errorf("got %v", err)
	}
	req = world(t)
	req.Class.VOC = 0
	if _, _, err := ingestOf(t, req); err == nil || !strings.Contains(err.Error(), "the devkit has no labelmap.txt: give its number with --set class.voc=N") {
		t.Errorf("got %v", err)
	}
}

// others are further labels of the world's masks, in VOC's colors of 1, 12 and 15.
const others = "dog:64,0,128::\nperson:192,128,128::\n"
