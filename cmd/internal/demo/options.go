// Package demo draws a small world of textured four-legged figures on cluttered
// grounds and writes it in the layouts of the real sources (a VOC devkit, an ImageNet
// synset tar with its box tar, a folder of test masks), so that the whole build can be
// shown and tested on a machine that has none of them.
//
// A picture is a pure function of (seed, role, index): equal options give equal bytes
// for one Go version (the JPEG, PNG and gzip encoders), on every processor.
package demo

import (
	"fmt"
	"path/filepath"
)

// Options says how large a world to draw. All of them are ours.
type Options struct {
	Seed   uint64 `json:"seed"`   // any; default 1
	Class  string `json:"class"`  // horse or dog; default horse
	Manual int    `json:"manual"` // VOC pictures that show the class, 1..9999; default 24
	Others int    `json:"others"` // VOC pictures that show other classes only, 0..9999; default 6
	Boxes  int    `json:"boxes"`  // ImageNet pictures with a box file, 0..9999; default 24
	Labels int    `json:"labels"` // ImageNet pictures without one, 0..9999; default 16
	Tests  int    `json:"tests"`  // test pictures, 1..9999; default 20
	// longest side of the largest picture in pixels, 64..1024; default 320
	LongPx int  `json:"longPx"`
	Faults bool `json:"faults"` // plant the faults of World.Planted; default false
}

// Defaults returns the world of `hdseg demo`: large enough for a tier table that means
// something, small enough for a build of well under a minute.
func Defaults() Options {
	return Options{Seed: 1, Class: "horse", Manual: 24, Others: 6, Boxes: 24, Labels: 16, Tests: 20, LongPx: 320}
}

// Validate refuses a class that is not drawn.
func (o Options) Validate() error {
	if len(companions[o.Class]) == 0 {
		return fmt.Errorf("demo: class: got %q, want horse or dog", o.Class)
	}
	return nil
}

// A World says where a drawn world lies. Its paths begin with the folder that Draw was given.
type World struct {
	VOCDir      string // VOCdevkit/VOC2012: JPEGImages, SegmentationClass, ImageSets, Annotations
	ImageNetTar string // imagenet/WNID.tar: flat WNID_N.JPEG members
	BoxesTar    string // imagenet/boxes/WNID.tar.gz: Annotation/WNID/WNID_N.xml members
	TestDir     string // test: images/ID.jpg and masks/ID.png (0, 255)
	// truth/WNID_N.png of all ImageNet pictures (0, 255, void 128): for measuring only
	TruthDir string

	Planted []Fault // in the order of Kinds; nil without Options.Faults
}

// newWorld returns the paths of a world drawn in dir.
func newWorld(dir string, o Options) World {
	wnid := species[o.Class].synset
	return World{
		VOCDir:      filepath.Join(dir, "VOCdevkit", "VOC2012"),
		ImageNetTar: filepath.Join(dir, "imagenet", wnid+".tar"),
		BoxesTar:    filepath.Join(dir, "imagenet", "boxes", wnid+".tar.gz"),
		TestDir:     filepath.Join(dir, "test"),
		TruthDir:    filepath.Join(dir, "truth"),
	}
}
