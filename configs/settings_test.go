package configs

import (
	"fmt"
	"strings"
	"testing"
)

// mostSettings bounds the dotted paths that --set accepts. A new one needs a reason for a user to
// change it, and an old one to go.
const mostSettings = 120

func TestNumberOfSettings(t *testing.T) {
	all := Settings()
	if len(all) > mostSettings || len(all) < 40 {
		t.Errorf("got %d settings, want 40 to %d", len(all), mostSettings)
	}
	t.Logf("%d settings", len(all))
	for _, s := range all {
		for prefix := range removed {
			if s.Path == prefix || strings.HasPrefix(s.Path, prefix+".") {
				t.Errorf("%s is a setting, and the table of removed ones has %s", s.Path, prefix)
			}
		}
	}
}

// A removed setting is refused with the line that says what became of it, in files and in --set;
// what was recorded with it is still read.
func TestRemovedSettings(t *testing.T) {
	for path, why := range removed {
		want := path + " is no setting any more: " + why
		if err := new(Experiment).Set(path + "=1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s=1: got %v, want %q", path, err, want)
		}
		keys := strings.Split(path, ".")
		text := ""
		for i, k := range keys {
			text += strings.Repeat("  ", i) + k + ":\n"
		}
		text = strings.TrimSuffix(text, "\n") + " 1\n"
		if err := decode([]byte(text), defaults(), true); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d: %s", len(keys), want)) {
			t.Errorf("a file with %s: got %v, want %q", path, err, want)
		}
	}
	if _, err := Recorded("class:\n  name: horse\ndataset: horseseg\ntransfer:\n  proposals: true\n"); err != nil {
		t.Errorf("recorded settings with a removed one: %v", err)
	}
}

// Numbers with leading zeros are decimal, in files and in --set; texts keep theirs.
func TestLeadingZeros(t *testing.T) {
	e := defaults()
	for _, set := range []string{"class.voc=013", "superpixel.count=0500", "dataset=007", "train.lambda=00.5"} {
		if err := e.Set(set); err != nil {
			t.Fatal(err)
		}
	}
	if e.Class.VOC != 13 || e.Superpixel.Count != 500 || e.Dataset != "007" || e.Train.Lambda != 0.5 {
		t.Errorf("got %d, %d, %q, %g, want 13, 500, 007, 0.5", e.Class.VOC, e.Superpixel.Count, e.Dataset, e.Train.Lambda)
	}
	if err := decode([]byte("class:\n  voc: 013\n"), e, true); err != nil || e.Class.VOC != 13 {
		t.Errorf("in a file: got %d, %v, want 13", e.Class.VOC, err)
	}
	for text, want := range map[string]int{"0_13": 13, "00_13": 13, "!!int 013": 13, "0_1_3": 13, "+013": 13, "1_3": 13, "0": 0, "00": 0, "0x10": 16, "0o13": 11} {
		for _, err := range []error{e.Set("class.voc=" + text), decode([]byte("class:\n  voc: "+text+"\n"), e, true)} {
			if err != nil || e.Class.VOC != want {
				t.Errorf("%s: got %d, %v, want %d", text, e.Class.VOC, err, want)
			}
		}
	}
}
