package boost

import "testing"

func TestHeld(t *testing.T) {
	h := NewHeld("all", []string{"no 7", "no 9"}, []int{7, 7, 9}, []int{0, 0, 1})
	for group, want := range map[int]string{7: "no 7", 9: "no 9", 8: "all"} {
		if got := h.Without(group); got != want {
			t.Errorf("group %d: got %q, want %q", group, got, want)
		}
	}
}
