package report

import (
	"fmt"
	"strings"
	"testing"
)

// A line of Dots with ten series is higher than one with two, so that their signs do not cover each other.
func TestDotsHaveRoom(t *testing.T) {
	height := func(n int) float64 {
		var s []Series
		for i := range n {
			s = append(s, Series{Name: "s", Color: i, Points: []Point{{80, 0, 79, 81}}})
		}
		svg := string(Dots("t", "x", []string{"a"}, s).SVG)
		_, text, _ := strings.Cut(svg, `viewBox="`)
		var x, y, w, h float64
		if _, err := fmt.Sscanf(text, "%g %g %g %g", &x, &y, &w, &h); err != nil {
			t.Fatalf("%v in %.100s", err, text)
		}
		return h
	}
	if two, ten := height(2), height(10); two < dotRow || ten < two+5*dotLine {
		t.Errorf("two series are %v high, ten %v", two, ten)
	}
	if svg := string(Dots(`a "b"`, "x", []string{"a"}, []Series{{Points: make([]Point, 1)}}).SVG); !strings.Contains(svg, `aria-label="a &#34;b&#34;"`) {
		t.Errorf("no title in %.200s", svg)
	}
}

func TestLongNamesAreWrapped(t *testing.T) {
	for key, want := range map[string]string{
		"manual":                         "(a) manual",
		"bbox,label":                     "bbox + label",
		"external:a-very-long-name,bbox": "external:a-very-long-name\n+ bbox",
		"manual,external:sam,label":      "manual\n+ external:sam\n+ label",
		"label,bbox,manual":              "label + bbox\n+ manual",
	} {
		if got := axisTitle(key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}
