package superpixel

import (
	"fmt"
	"slices"
	"testing"
)

// The graph is 0-1, 1-2, 1-3, 3-4, and 5 alone.
func TestRings(t *testing.T) {
	edges := [][2]int32{{0, 1}, {1, 2}, {1, 3}, {3, 4}}
	want := map[int]string{0: "[1] [2 3] [4]", 1: "[0 2 3] [4] []", 2: "[1] [0 3] [4]", 3: "[1 4] [0 2] []", 4: "[3] [1] [0 2]", 5: "[] [] []"}
	got := map[int]string{}
	Rings(6, edges, 3, func(node, distance int, ring []int32) {
		ring = slices.Sorted(slices.Values(ring))
		if distance > 1 {
			got[node] += " "
		}
		got[node] += fmt.Sprint(ring)
	})
	for node, rings := range want {
		if got[node] != rings {
			t.Errorf("node %d: got %s, want %s", node, got[node], rings)
		}
	}
	Rings(2, nil, 0, func(int, int, []int32) { t.Error("a ring at depth 0") })
}
