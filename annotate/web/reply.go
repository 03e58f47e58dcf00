package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"

	"hdseg/annotate/campaign"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// reply sends a value as JSON.
func reply(w http.ResponseWriter, v any) { replyStatus(w, http.StatusOK, v) }

func replyStatus(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"internal"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(data) // the client may be gone
}

// A blob is an answer that is no JSON.
type blob struct {
	kind string // content type
	data []byte
	keep bool // the browser may keep it, and nothing in between
}

// send sends what a handler returned: a mask as runs, a blob as it is, else JSON.
func send(w http.ResponseWriter, v any, err error) {
	if err != nil {
		refuse(w, err)
		return
	}
	switch v := v.(type) {
	case *raster.Mask:
		reply(w, RunsOf(v))
	case *blob:
		w.Header().Set("Content-Type", v.kind)
		if v.keep {
			w.Header().Set("Cache-Control", "private, max-age=86400, immutable")
		}
		w.Write(v.data)
	default:
		reply(w, v)
	}
}

// fail sends a reason that people can read.
func fail(w http.ResponseWriter, status int, why string) {
	replyStatus(w, status, map[string]string{"error": why})
}

// refuse sends the status that fits an error.
func refuse(w http.ResponseWriter, err error) {
	var conflict *campaign.ConflictError
	var forbidden *campaign.ForbiddenError
	var bad *campaign.BadRequestError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &conflict):
		replyStatus(w, http.StatusConflict, map[string]any{"error": conflict.Error(), "line": conflict.Line, "kept": conflict.Kept})
	case errors.Is(err, campaign.ErrNotFound):
		fail(w, http.StatusNotFound, err.Error())
	case errors.As(err, &forbidden):
		fail(w, http.StatusForbidden, err.Error())
	case errors.Is(err, campaign.ErrEmpty):
		replyStatus(w, http.StatusUnprocessableEntity, map[string]any{"error": err.Error(), "empty": true})
	case errors.As(err, &bad):
		fail(w, http.StatusBadRequest, err.Error())
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "the request is too large")
	default:
		fail(w, http.StatusInternalServerError, withoutFolders(err.Error()))
	}
}

var folders = regexp.MustCompile(`(^|[\s"'(])(?:[A-Za-z]:)?[/\\](?:[^\s:"']*[/\\])?([^\s/\\])`)

// withoutFolders leaves file names of an error without the folders of this machine, which are not
// the client's business.
func withoutFolders(s string) string { return folders.ReplaceAllString(s, "$1$2") }

// receive reads a JSON body of at most so many bytes: one object, no unknown fields, nothing after
// it.
func receive(r *http.Request, limit int64, v any) error {
	if t := r.Header.Get("Content-Type"); t != "application/json" {
		return &campaign.BadRequestError{Why: "content type: want application/json"}
	}
	return decode(http.MaxBytesReader(nil, r.Body, limit), v)
}

func decode(body io.Reader, v any) error {
	err := format.StrictJSON(body, v)
	if err == nil {
		return nil
	}
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return err
	}
	return &campaign.BadRequestError{Why: "request: " + err.Error()}
}
