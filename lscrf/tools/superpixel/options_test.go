package superpixel

import (
	"encoding/json"
	"strings"
	"testing"
)

// Models of version 0.2.0 name numbers that are constant now; with others they are refused.
func TestOptionsOfOldModels(t *testing.T) {
	const old = `{"Method":"slic","Count":350,"Compactness":10,"Iterations":4,"Fineness":3,"Sweeps":3,"BorderCompactness":7,"Smoothness":20}`
	var o Options
	if err := json.Unmarshal([]byte(old), &o); err != nil || o != Defaults() {
		t.Errorf("got %+v, %v, want the defaults", o, err)
	}
	data, err := json.Marshal(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var again Options
	if err := json.Unmarshal(data, &again); err != nil || again != Defaults() {
		t.Errorf("%s: got %+v, %v, want the defaults", data, again, err)
	}
	if err := json.Unmarshal([]byte(strings.Replace(old, `"Sweeps":3`, `"Sweeps":0`, 1)), &o); err == nil {
		t.Error("superpixels without border sweeps are taken for others")
	}
}
