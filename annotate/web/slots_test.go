package web

import (
	"context"
	"testing"
	"time"
)

// TestSlots fills the places: one person takes one of four, the next of theirs waits, and whoever does not wait any more takes none.
func TestSlots(t *testing.T) {
	s := newSlots(1)
	takeWithin := func(name string, wait time.Duration) func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		release, ok := s.take(ctx, name)
		if !ok {
			return nil
		}
		return release
	}
	take := func(name string) func() { t.Helper(); return takeWithin(name, time.Minute) }
	waits := func(name string) bool { t.Helper(); return takeWithin(name, 20*time.Millisecond) == nil }
	first := take("Ann")
	if first == nil || !waits("Ann") {
		t.Fatal("Ann: want one place, and no second one")
	}
	for _, name := range []string{"Ben", "Cleo", "Dan"} {
		if take(name) == nil {
			t.Fatalf("%s: got no place, want one beside Ann's", name)
		}
	}
	if !waits("Eve") {
		t.Error("a fifth at a time: got a place")
	}
	first()
	if second := take("Ann"); second == nil {
		t.Error("Ann again: got no place, want the one that was given back")
	}
}
