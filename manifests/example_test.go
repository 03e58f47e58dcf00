package manifests_test

import (
	"fmt"
	"os"

	"hdseg/manifests"
)

// A manifest of one record is written to a new store and read back.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := manifests.OpenStore(dir)
	if err != nil {
		panic(err)
	}
	picture := []byte("the bytes of a picture")
	path, digest, err := store.Put("images", "a", "jpg", picture)
	if err != nil {
		panic(err)
	}
	m := &manifests.Manifest{
		Header: manifests.Header{Dataset: "mine", Stage: "ingest"},
		Records: []manifests.Record{{
			ID: "a", Split: manifests.Train, Tier: manifests.Label,
			Image: manifests.Image{Path: path, SHA256: digest, Width: 4, Height: 3, Format: "jpeg", Orientation: 1},
		}},
	}
	if _, err := manifests.Write(store, "mine", m); err != nil {
		panic(err)
	}
	again, _, err := manifests.Read(store, "mine")
	fmt.Println(len(again.Records), again.Records[0].ID, again.Records[0].Image.Path == path, err)
	// Output: 1 a true <nil>
}
