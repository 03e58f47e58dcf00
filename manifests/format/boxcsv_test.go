package format

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

func TestParseBoxCSV(t *testing.T) {
	got, err := ParseBoxCSV([]byte("\xef\xbb\xbfxmin,label, image,ymin,ymax,xmax,score\n1,horse,a.jpg,2,4,3,0.5\n1.5,,b/c.jpg,0,9,8,\n5,dog,a.jpg,6,8,7,\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || !slices.Equal(got["a.jpg"].Objects, []BoxObject{{"horse", 1, 2, 3, 4}, {"dog", 5, 6, 7, 8}}) || !slices.Equal(got["b/c.jpg"].Objects, []BoxObject{{"", 1.5, 0, 8, 9}}) {
		t.Errorf("got %+v", got)
	}
	// [1,3) x [2,4): maxima are exclusive.
	if b, _, _, err := got["a.jpg"].Pixels(0, BoxCSVRule, 10, 10); err != nil || b != (manifests.Box{XMin: 1, YMin: 2, XMax: 3, YMax: 4}) {
		t.Errorf("got %v, %v", b, err)
	}
	for name, c := range map[string]struct{ csv, want string }{
		"empty":     {"", "no header"},
		"no column": {"image,xmin,ymin,xmax\n", "want a column ymax"},
		"no number": {"image,xmin,ymin,xmax,ymax\na,1,2,3,4\nb,1,x,3,4\n", `line 3: ymin: got "x"`},
		"no image":  {"image,xmin,ymin,xmax,ymax\n,1,2,3,4\n", "line 2: image"},
		"ragged":    {"image,xmin,ymin,xmax,ymax\na,1,2\n", "wrong number of fields"},
	} {
		if _, err := ParseBoxCSV([]byte(c.csv)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func FuzzParseBoxCSV(f *testing.F) {
	f.Add([]byte("image,xmin,ymin,xmax,ymax\na,1,2,3,4\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseBoxCSV(data)
		if (m == nil) != (err != nil) {
			t.Fatalf("got %v and %v", m, err)
		}
		rows := 0
		for name, file := range m {
			if name == "" || len(file.Objects) == 0 {
				t.Fatalf("got %d boxes for the picture %q", len(file.Objects), name)
			}
			rows += len(file.Objects)
			for _, o := range file.Objects {
				for _, v := range []float64{o.XMin, o.YMin, o.XMax, o.YMax} {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%s: got the box %v", name, o)
					}
				}
			}
		}
		if lines := 1 + bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")); rows > lines {
			t.Fatalf("got %d boxes from %d lines", rows, lines)
		}
	})
}
