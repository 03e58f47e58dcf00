package exchange

import (
	"strings"
	"testing"

	"hdseg/manifests/raster"
)

// Values as tools write them: figure pixels of a picture of 7 x 5, or what the error says.
func TestLabelmeValues(t *testing.T) {
	const square = `"shape_type": "polygon", "points": [[1, 1], [5, 1], [5, 4], [1, 4]]` // 4 x 3 pixels
	const column = `"shape_type": "rectangle", "points": [[2, 0], [3, 5]]`               // 1 x 5, of which 3 are in the square
	shapes := func(list string) string { return `{"shapes": [` + list + `]}` }
	others := options("horse", true)
	for name, c := range map[string]struct {
		text   string
		o      Options
		figure int
		says   string
	}{
		"another kind of file":         {`{"images": [], "annotations": []}`, others, 0, "got a file of COCO: annotate import --format coco reads it"},
		"a list":                       {`[1, 2]`, others, 0, "byte 0: got [1, 2], want an object {...}"},
		"shapes of no list":            {`{"shapes": {}}`, others, 0, "shapes: byte 11: got {}, want a list [...]"},
		"Shapes alone":                 {`{"Shapes": []}`, others, 0, "got no shapes"},
		"flags alone":                  {`{"flags": {"cat": true}, "shapes": []}`, others, 0, ""},
		"keys in another case":         {`{"imageWidth": 7, "imageHeight": 5, "ImageWidth": 99, "shapes": [{"label": "horse", "Label": "cow", ` + square + `, "Points": null}]}`, options("horse", false), 12, ""},
		"NaN that is not read":         {`{"score": NaN, "shapes": [{"label": "horse", "score": -Infinity, ` + square + `}]}`, others, 12, ""},
		"NaN in a point":               {shapes(`{"label": "horse", "points": [[NaN, 1], [5, 1], [5, 4]]}`), others, 0, "shape 0 (horse) at byte 12: points at byte 41: got NaN, want a number"},
		"numbers in quotes":            {shapes(`{"label": "horse", "points": [["1", "1"], ["5", 1.0], [5, 4], [1, 4]]}`), others, 12, ""},
		"points flat":                  {shapes(`{"label": "horse", "points": [1, 1, 5, 1, 5, 4]}`), others, 0, "want a list of points, [[x, y], ...]"},
		"a bad shape of other labels":  {shapes(`{"label": "horse", ` + square + `}, {"label": "cow", "points": 7}`), others, 12, "shape 1 (cow)"},
		"a bad hole":                   {shapes(`{"label": "horse", ` + square + `}, {"label": "hole", "points": 7}`), others, 12, "shape 1 (hole)"},
		"a bad void beside a hole":     {shapes(`{"label": "horse", ` + square + `}, {"label": "void", "points": [[1, 1]]}, {"label": "hole", ` + column + `}`), others, 9, "shape 1 (void)"},
		"a bad hole alone":             {shapes(`{"label": "hole", "points": 7}`), others, 0, "shape 0 (hole)"},
		"a label that is a list":       {shapes(`{"label": "horse", ` + square + `}, {"label": ["horse"], ` + square + `}`), options("horse", false), 12, "shape 1 () at byte"},
		"a label that is null":         {shapes(`{"label": "horse", ` + square + `}, {"label": null, ` + column + `}`), others, 12, "shape 1 () at byte 101: got no label, want a text"},
		"a label that is a number":     {shapes(`{"label": "horse", ` + square + `}, {"label": 7, ` + column + `}`), options("horse", false), 12, `shape 1 (7) at byte 101: got label "7", want horse`},
		"a number as another label":    {shapes(`{"label": "horse", ` + square + `}, {"label": 7, ` + column + `}`), others, 9, ""},
		"a class that is a number":     {shapes(`{"label": 7, ` + square + `}`), options("7", false), 12, ""},
		"a point of another label":     {shapes(`{"label": "horse", ` + square + `}, {"label": "eye", "shape_type": "point", "points": [[2, 2]]}`), others, 12, ""},
		"a rider drawn over the horse": {shapes(`{"label": "horse", ` + square + `}, {"label": "rider", ` + column + `}`), others, 9, ""},
		"a horse drawn over the rider": {shapes(`{"label": "rider", ` + column + `}, {"label": "horse", ` + square + `}`), others, 12, ""},
		"a rider without the flag":     {shapes(`{"label": "rider", ` + column + `}`), options("horse", false), 0, `got label "rider", want horse, hole or void: --others-ground`},
		"Horse":                        {shapes(`{"label": "Horse", ` + square + `}`), others, 0, `got label "Horse", which may be meant for horse`},
		"horses":                       {shapes(`{"label": "horses", ` + square + `}`), others, 0, "may be meant for horse"},
		"horse and a blank":            {shapes(`{"label": "horse ", ` + square + `}`), others, 0, "may be meant for horse"},
		"horse-1":                      {shapes(`{"label": "horse-1", ` + square + `}`), others, 0, "may be meant for horse"},
		"seahorse":                     {shapes(`{"label": "seahorse", ` + square + `}`), others, 0, ""},
		"cut short":                    {`{"shapes": [`, others, 0, "byte 12: the file is cut short"},
	} {
		m, err := readLabelme([]byte(c.text), "a", c.o, 7, 5)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
			continue
		}
		if m == nil {
			if c.figure > 0 {
				t.Errorf("%s: got no mask, want %d figure pixels", name, c.figure)
			}
			continue
		}
		if _, figure, _ := m.Areas(); figure != c.figure {
			t.Errorf("%s: got %d figure pixels, want %d", name, figure, c.figure)
		}
		if c.figure == 9 && m.At(2, 2) != raster.Ground {
			t.Errorf("%s: got %d at (2, 2), want ground", name, m.At(2, 2))
		}
	}
}
