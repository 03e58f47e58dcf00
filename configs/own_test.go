package configs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What Own writes is read back as what it was given; the rest is as by default, but for the test share.
func TestOwnConfigs(t *testing.T) {
	for _, c := range []Class{
		{Name: "cat", VOC: 8, Synsets: []string{"n02121808", "n02123045"}},
		{Name: "mobile phone: new # 1"},
		{Name: "null", VOC: 254},
		{Name: "Ross"},
	} {
		text, err := Own("my-set_1", c)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "my.yaml")
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Load(name)
		if err != nil {
			t.Fatalf("%+v: %v\n%s", c, err, text)
		}
		if got.Dataset != "my-set_1" || got.Class.Name != c.Name || got.Class.VOC != c.VOC || !slices.Equal(got.Class.Synsets, c.Synsets) || got.TestShare != 0.2 {
			t.Errorf("%+v: got %+v of %s", c, got.Class, text)
		}
		got.Dataset, got.Class, got.TestShare = "", Class{}, 0
		if Digest(got) != Digest(defaults()) {
			t.Errorf("%+v: other settings than by default", c)
		}
	}
	for _, c := range []struct {
		dataset string
		class   Class
		want    string
	}{
		{"a b", Class{Name: "cat"}, `got "a b", want letters, digits, '-' and '_'`},
		{"a", Class{}, "name: got none"},
		{"a", Class{Name: "a\nb"}, "one space"},
		{"a", Class{Name: "a", VOC: 255}, "got 255, want a class index 0..254"},
		{"a", Class{Name: "a", Synsets: []string{"n1"}}, `synset: got "n1", want n and 8 digits`},
	} {
		if _, err := Own(c.dataset, c.class); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q in it", c, err, c.want)
		}
	}
}
