package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestTeamRequests assigns and accepts pictures by requests, keeps what a person did, and refuses what makes no sense or is not theirs.
func TestTeamRequests(t *testing.T) {
	w := newWorld(t, Options{}, "a", "b")
	ann, rita := w.visit("Ann", ""), w.visit("Rita", "")
	ann.want(http.StatusForbidden, "POST", "/api/assign", `{"keys":["a"],"to":"Ann"}`)
	ann.want(http.StatusForbidden, "POST", "/api/accept", `{"keys":["a"]}`)
	rita.want(http.StatusBadRequest, "POST", "/api/assign", `{"keys":["a"],"to":"Eve"}`)
	rita.want(http.StatusNotFound, "POST", "/api/assign", `{"keys":["a","c"],"to":"Ann"}`)
	rita.want(http.StatusNotFound, "POST", "/api/accept", `{"keys":["c"]}`)
	var queue []struct {
		Key, Assignee string
		Seen          bool
	}
	if err := json.Unmarshal(rita.want(200, "POST", "/api/assign", `{"keys":["a"],"to":"Ann"}`), &queue); err != nil {
		t.Fatal(err)
	}
	if len(queue) != 2 || queue[0].Assignee != "Ann" || queue[1].Assignee != "" {
		t.Errorf("the queue is %+v, want a as Ann's", queue)
	}
	for _, bad := range []string{
		`{"revision":1,"seconds":{"brush":1}}`, `{"revision":0,"seconds":{"brush":-1}}`, `{"revision":0,"seconds":{"a b":1}}`,
		`{"revision":0,"clicks":{"brush":-1}}`, `{"revision":0,"other":1}`, `{"revision":0,"seconds":{"` + strings.Repeat("x", 31) + `":1}}`,
	} {
		rita.want(http.StatusBadRequest, "POST", "/api/items/b/work", bad)
	}
	rita.want(http.StatusNotFound, "POST", "/api/items/c/work", `{"revision":0}`)
	rita.want(200, "POST", "/api/items/b/work", `{"revision":0,"seconds":{"move":2.5},"clicks":{"comment":1}}`)
	var got struct {
		Accepted int
		Refused  []struct{ Key, Why string }
	}
	if err := json.Unmarshal(rita.want(200, "POST", "/api/accept", `{"keys":["a","b"]}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Accepted != 1 || len(got.Refused) != 1 || got.Refused[0].Key != "a" {
		t.Errorf("accepted: got %+v, want b alone", got)
	}
}
