package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"

	"hdseg/annotate/campaign"
	"hdseg/manifests/format"
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
