package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"hdseg/lscrf/bench/report/browsertest"
)

// TestPageUnits runs the unit tests of the page's modules, annotate/web/testdata/units.js, in the browser.
func TestPageUnits(t *testing.T) {
	files := http.NewServeMux()
	files.Handle("/page/", http.StripPrefix("/page", http.FileServer(http.Dir("../../annotate/web/page"))))
	files.Handle("/", http.FileServer(http.Dir("../../annotate/web/testdata")))
	srv := httptest.NewServer(files)
	defer srv.Close()
	p := open(t, browsertest.Share(t), srv.URL+"/units.html")
	p.until("the end of the tests", "globalThis.results")
	for _, fault := range eval[[]string](p, "results.faults") {
		t.Error(fault)
	}
	if n := eval[int](p, "results.checks"); n < 30 {
		t.Errorf("%d checks were made, want at least 30", n)
	}
}
