package format

import (
	"strings"
	"testing"
)

// Names are those of a list, in its order, less background and void at its ends.
func TestListedLabels(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"classes.txt", "# classes\nbackground\ncow\npotted plant\nvoid\n", "cow|potted plant"},
		{"classes.txt", "0: cow\n1: horse\n", "cow|horse"},
		{"classes.txt", "cow\ncow\n", ""},
		{"labels.txt", "Labels are those of VOC, see the page.\n", ""},
		{"data.yaml", "names: [cow, horse]\n", "said cow|horse"},
		{"data.yaml", "names:\n  10: horse\n  2: cow\n", "said cow|horse"},
		{"data.yaml", "train: x\nnc: 3\n", ""},
		{"meta.json", `{"classes": [{"title": "cow", "color": "#fff"}]}`, "said cow"},
		{"classes.json", `["cow", "horse"]`, "cow|horse"},
		{"classes.json", `{"0": "background", "1": "cow"}`, "cow"},
		{"classes.json", `{"horse": [1, 2, 3]}`, "horse"},
		{"labels.json", `{"a.png": "horse"}`, ""},
		{"labels.json", `{"images": [], "categories": [{"id": 1, "name": "horse"}]}`, ""},
		{"a.pbtxt", "item {\n id: 1\n name: 'cow'\n}", "said cow"},
		{"labels.csv", "index;name\n0;cow\n1;horse\n", "said cow|horse"},
		{"labels.csv", "0,cow\n1,horse\n", "cow|horse"},
		{"labels.csv", "id,label\na,horse\n", ""},
		{"labels.csv", "id,label\n1,horse\n2,horse\n", ""},
		{"labels.csv", "5\n7\n", ""},
	} {
		names, said := ListedLabels(c.name, []byte(c.text))
		got := strings.Join(names, "|")
		if said {
			got = "said " + got
		}
		if got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// What has a label map's name is one, sound or damaged, if its text means labels.
func TestMeansLabels(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"colors.txt", "http://x", false}, {"colors.txt", "horse 1 2\n", true}, {"colors.txt", "cow 1 2 3\nsheep 1 2\n", true},
		{"class_dict.csv", "foo,bar\n1,2\n", false}, {"class_dict.csv", "name,r,g,b\nhorse,0.5,0,0\n", true},
		{"dataset_meta.json", `{"author": 1}`, false}, {"dataset_meta.json", `{"label_map": {`, true}, {"dataset_meta.json", `{"labels": ["cow"]}`, true},
		{"labelmap.txt", "background:#000000::\ncow:#c00080::\n", true}, {"labelmap.txt", "cow\nsheep\n", true}, {"labelmap.txt", "", false},
		{"class_names.txt", "The names are in another file, which you can have.\n", false},
		{"_classes.csv", "Pixel Value, Class\n0, background\n2, horse\n", true},
	} {
		if got := MeansLabels(c.name, []byte(c.text), "horse"); got != c.want {
			t.Errorf("%s %q: got %v", c.name, c.text, got)
		}
	}
}

// FuzzListedLabels reads any text by the name of a list of labels: its names stand once, and a label map is decided about.
func FuzzListedLabels(f *testing.F) {
	files := []string{"classes.txt", "data.yaml", "meta.json", "a.pbtxt", "labels.csv", "class_dict.csv", "dataset_meta.json", "labelmap.txt"}
	for i := range files {
		for _, text := range []string{"background\ncow\n", "names:\n  1: cow\n", `{"classes": [{"title": "cow"}]}`, "name: 'cow'", "id,label\n1,cow\n", "5\n7\n"} {
			f.Add(uint8(i), text)
		}
	}
	f.Fuzz(func(t *testing.T, file uint8, text string) {
		name := files[int(file)%len(files)]
		names, said := ListedLabels(name, []byte(text))
		if said && len(names) == 0 {
			t.Error("says that it lists classes, and lists none")
		}
		seen := map[string]bool{}
		for _, n := range names {
			if seen[n] {
				t.Errorf("%q stands twice", n)
			}
			seen[n] = true
		}
		MeansLabels(name, []byte(text), "cow")
	})
}
