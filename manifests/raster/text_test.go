package raster

import "testing"

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{"2008_000008": "2008_000008", "abcdefghijkl": "abcdefghijkl", "abcdefghijklm": "abcdef..jklm", "ÄÖÜäöüßéèêñçø": "ÄÖÜäöü..êñçø"} {
		if got := Shorten(in, 12*7+3); got != want {
			t.Errorf("%s in 12 characters: got %s, want %s", in, got, want)
		}
	}
}
