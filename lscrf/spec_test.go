package lscrf

import (
	"testing"

	"hdseg/manifests"
)

func TestMixesAreReadAndWrittenInOneWay(t *testing.T) {
	for text, want := range map[string]string{"manual": "manual", " manual , bbox ": "manual,bbox", "external:sam,label": "external:sam,label"} {
		m, err := ParseMix(text)
		if err != nil || m.Key() != want {
			t.Errorf("%q: got %q, %v, want %q", text, m.Key(), err, want)
		}
	}
	for _, text := range []string{"", "manual,manual", "bbox,bbox", "none", "manual@2", "mask"} {
		if m, err := ParseMix(text); err == nil {
			t.Errorf("%q: got %q, want an error", text, m.Key())
		}
	}
	m := Mix{"manual", "bbox"}
	for _, c := range []struct {
		has  []manifests.Tier
		want manifests.Tier
	}{{[]manifests.Tier{"bbox", "manual"}, "manual"}, {[]manifests.Tier{"bbox", "label"}, "bbox"}, {[]manifests.Tier{"label"}, ""}, {nil, ""}} {
		labels := map[manifests.Tier][]uint8{}
		for _, t := range c.has {
			labels[t] = nil
		}
		if got, ok := m.pick(labels); got != c.want || ok != (c.want != "") {
			t.Errorf("an image with %v: got %q, %v, want %q", c.has, got, ok, c.want)
		}
	}
}
