package web

import "testing"

// A picture may be kept only under an address that names its bytes: another data set has the same keys.
func TestAddressNamesPicture(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	v := w.visit("Ann", "")
	digest := string(w.campaign.Manifest.Records[0].Image.SHA256)
	for _, path := range []string{"image", "thumb", "cells/0"} {
		for query, want := range map[string]string{"": "no-store", "?v=1": "no-store", "?v=" + digest + "-30": "private, max-age=86400, immutable"} {
			res, _ := v.send("GET", "/api/items/a/"+path+query, "")
			if got := res.Header.Get("Cache-Control"); res.StatusCode != 200 || got != want {
				t.Errorf("%s%s: got %d, %q, want %q", path, query, res.StatusCode, got, want)
			}
		}
	}
}
