package web

import (
	"net/http"
	"strings"
	"testing"

	"hdseg/transfer"
)

// TestBoxRequests keeps boxes that lie in the picture, from people who may draw, and shows them to others.
func TestBoxRequests(t *testing.T) {
	w := newWorld(t, Options{}, "a")
	ann, ben := w.visit("Ann", ""), w.visit("Ben", "")
	got := ann.want(http.StatusOK, "POST", "/api/items/a/boxes", `{"boxes":[{"xMin":1,"yMin":2,"xMax":20,"yMax":19}]}`)
	if want := `"boxes":[{"xMin":1,"yMin":2,"xMax":20,"yMax":19}]`; !strings.Contains(string(got), want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	ann.want(http.StatusBadRequest, "POST", "/api/items/a/boxes", `{"boxes":[{"xMin":1,"yMin":2,"xMax":31,"yMax":19}]}`)
	ann.want(http.StatusBadRequest, "POST", "/api/items/a/boxes", `{"boxes":[{"xMin":1,"yMin":2,"xMax":1,"yMax":19}]}`)
	ann.csrf = ""
	ann.want(http.StatusForbidden, "POST", "/api/items/a/boxes", `{"boxes":[]}`)
	if got := ben.want(http.StatusOK, "GET", "/api/items/a", ""); !strings.Contains(string(got), `"xMax":20`) {
		t.Errorf("another sees %s", got)
	}
}

// TestLearning tells pages that cuts are still to learn, until they have learned.
func TestLearning(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	says := func(want string) {
		t.Helper()
		for path, body := range map[string]string{"/api/changes": `{"since":-1,"key":""}`, "/api/items/a/cut": `{}`} {
			if got := v.want(http.StatusOK, "POST", path, body); !strings.Contains(string(got), want) {
				t.Errorf("%s: got %s, want %s in it", path, got, want)
			}
		}
	}
	err := v.server.Learn(func() (*transfer.Cutter, error) { says(`"learning":true`); return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	says(`"learning":false`)
}

// TestCutRequests refuses what is no box or click in the picture, and cuts by what is one.
func TestCutRequests(t *testing.T) {
	v := newWorld(t, Options{}, "a").visit("Ann", "")
	for _, bad := range []string{`{"boxes":[[0,0,3,3]]}`, `{"boxes":[[1,2,3]]}`, `{"clicks":[[30,0]]}`, `{"clicks":[[1]]}`, `{"box":[0,0,9,9]}`} {
		v.want(http.StatusBadRequest, "POST", "/api/items/a/cut", bad)
	}
	for _, good := range []string{`{}`, `{"boxes":[[0,0,30,20],[2,2,9,9]]}`, `{"clicks":[[29,19],[0,0]]}`} {
		if got := v.want(http.StatusOK, "POST", "/api/items/a/cut", good); !strings.Contains(string(got), `"learning":false`) {
			t.Errorf("%s: got %s", good, got)
		}
	}
}
