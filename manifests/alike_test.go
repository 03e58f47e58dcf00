package manifests

import (
	"maps"
	"testing"
)

func TestAlike(t *testing.T) {
	r := func(split Split, id, pixels string, notes ...string) Record {
		return Record{ID: id, Split: split, Image: Image{SHA256: Digest("file of " + string(split) + id), Pixels: Digest(pixels), Notes: notes}}
	}
	got := Alike([]Record{
		r(Test, "t", "1"),
		r(Train, "a", "2"),
		r(Train, "c", "3", "srgb", "near_duplicate_of:train/a"),
		r(Train, "b", "4", "duplicate_of:train/c"), // by way of c
		r(Train, "y", "5", "near_duplicate_of:test/t"),
		r(Train, "x", "6", "near_duplicate_of:test/t"), // by way of a test image
		r(Train, "p", "7"),
		r(Train, "q", "7"), // two records of one picture
		r(Train, "t", "8"), // of another split than t
		r(Train, "u", ""),
		r(Train, "v", ""), // no digest of pixels is none in common
	})
	want := map[string]string{"a": "a", "b": "a", "c": "a", "x": "x", "y": "x", "p": "p", "q": "p"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
