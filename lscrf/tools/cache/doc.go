// Package cache keeps the graphs of images (superpixel features, edges, labels) in Apache
// Arrow IPC files, which other tools read as they are, and reads them by memory map.
//
// A cache is a folder of shards 0000.arrow, 0001.arrow, ... and index.json, which is written
// last. Every shard has one record batch per image with the columns
//
//	id        utf8
//	split     utf8                                  train or test
//	features  list<fixed_size_list<float32, dim>>   a row per superpixel
//	edges     list<fixed_size_list<int32, 2>>       pairs of superpixels that touch, i < j
//	sizes     list<int32>                           pixels per superpixel
//	labels    list<struct<tier: utf8, y: list<uint8>>>  0 ground, 1 figure, 255 void
//
// and the schema's metadata names the key: the digest of all that went in. The index holds a
// CRC-32C for each batch and for what lies around the batches, so that a flipped byte
// anywhere is noticed when its batch is first touched.
package cache

import "hdseg/manifests"

// An Image is a row of a cache. Slices that Get returned lie in the mapped file: they are
// read-only and valid until Close.
type Image struct {
	ID       string
	Split    manifests.Split
	N, Dim   int
	Features []float32  // N x Dim, row-major
	Edges    [][2]int32 // i < j
	Sizes    []int32    // N
	Labels   []Labels   // sorted by tier
}

// Persons stands for the tier of Labels that are 1 where most of a superpixel shows a person.
const Persons manifests.Tier = "person"

// Labels are the labels of an image's superpixels by the mask of one tier.
type Labels struct {
	Tier manifests.Tier // or Persons
	Y    []uint8        // N: 0 ground, 1 figure, 255 void
}

// index is what index.json holds.
type index struct {
	Key    manifests.Digest `json:"key"`
	Dim    int              `json:"dim"`
	Shards []shard          `json:"shards"`
}

type shard struct {
	File   string           `json:"file"`
	Bytes  int64            `json:"bytes"`
	SHA256 manifests.Digest `json:"sha256"`
	Head   uint32           `json:"head"` // CRC-32C of the bytes before the first batch
	Tail   uint32           `json:"tail"` // and after the last one
	Images []entry          `json:"images"`
}

type entry struct {
	ID    string          `json:"id"`
	Split manifests.Split `json:"split"`
	Start int64           `json:"start"` // of the batch's bytes in the file
	End   int64           `json:"end"`
	CRC   uint32          `json:"crc"`
}
