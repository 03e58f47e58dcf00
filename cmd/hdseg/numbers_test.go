package main

import (
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf"
)

// Lists of numbers are shown as they are written, and "both" is what the help says.
func TestNumbersAndBoth(t *testing.T) {
	v := []float64{0.75, 0.5}
	n := &numbers{&v}
	if n.String() != "0.75,0.5" || (&numbers{}).String() != "" {
		t.Errorf("got %q and %q", n, &numbers{})
	}
	if err := n.Set("0, 1e-3,1000"); err != nil || !slices.Equal(v, []float64{0, 0.001, 1000}) {
		t.Errorf("got %v, %v", v, err)
	}
	if err := n.Set("0.5,x"); err == nil || len(v) != 3 {
		t.Errorf("no number: got %v, %v", v, err)
	}
	help := must(t, "study", "--help")
	for _, want := range []string{"--keep numbers", "(default 0.75,0.5,0.25)", "(default 0,0.25,1)"} {
		if !strings.Contains(help, want) {
			t.Errorf("no %q in\n%s", want, help)
		}
	}
	o := lscrf.BenchDefaults()
	if err := (choice{terms: "both", balances: "both"}).apply(&o); err != nil || !slices.Equal(o.Terms, []string{lscrf.Unary, lscrf.Pairwise}) || !slices.Equal(o.Balances, []string{"paper", "none"}) {
		t.Errorf("got %v, %v, %v", o.Terms, o.Balances, err)
	}
	if err := (choice{balances: "both,paper"}).apply(&o); err == nil {
		t.Error("both beside others is taken")
	}
}
