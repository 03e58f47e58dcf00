package main

import (
	"context"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A visit is a tab on the page that serves a drawn data set, before anybody logged in, and the first picture of a tier to draw on.
type visit struct {
	*tab
	browser  context.Context
	server   *serving
	manifest string // its file
	record   *manifests.Record
	truth    *raster.Mask // the record's mask of that tier
}

// visitOf serves a drawn data set to a browser, with flags of annotate serve.
func visitOf(t *testing.T, browser context.Context, tier manifests.Tier, flags ...string) *visit {
	t.Helper()
	manifest := drawn(t)
	r, truth := pick(t, manifest, manifests.Train, tier)
	s := serve(t, manifest, "127.0.0.1:0", flags...)
	return &visit{open(t, browser, s.address), browser, s, manifest, r, truth}
}
