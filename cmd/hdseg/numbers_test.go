package main

import (
	"slices"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
)

// "both" is what the help says.
func TestBoth(t *testing.T) {
	o := bench.Defaults()
	if err := (rowFlags{terms: "both", balances: "both"}).apply(&o); err != nil || !slices.Equal(o.Terms, []string{lscrf.Unary, lscrf.Pairwise}) || !slices.Equal(o.Balances, []string{"paper", "none"}) {
		t.Errorf("got %v, %v, %v", o.Terms, o.Balances, err)
	}
	if err := (rowFlags{balances: "both,paper"}).apply(&o); err == nil {
		t.Error("both beside others is taken")
	}
}
