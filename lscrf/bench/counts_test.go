package bench

import (
	"encoding/json"
	"testing"

	"hdseg/lscrf/tools/metric"
)

func TestCountsReadBack(t *testing.T) {
	a, b := metric.NewConfusion(2), metric.NewConfusion(2)
	a.Add([]uint8{0, 0, 1, 255}, []uint8{0, 1, 1, 0})
	b.Add([]uint8{1, 1}, []uint8{0, 255})
	// Per true label: given ground, given figure, left void.
	want := `"2:1,1,0,0,1,0;0,0,0,1,0,1"`
	text, err := json.Marshal(Counts{a, b})
	if err != nil || string(text) != want {
		t.Fatalf("got %s, %v, want %s", text, err, want)
	}
	var c Counts
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(c); string(again) != want {
		t.Errorf("read back: got %s, want %s", again, want)
	}
	for _, bad := range []string{"x:1", "0:", "2:1,2,3", "2:1,1,0,0,1,-1", "2:9223372036854775807,1,0,0,1,0", "2:1,1,0,0,1,0;"} {
		if err := c.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if err := c.UnmarshalText(nil); err != nil || c != nil {
		t.Errorf("nothing: got %v, %v", c, err)
	}
}
