package format

import (
	"encoding/json"
	"errors"
	"io"
)

// StrictJSON reads one JSON value into v, as json.Unmarshal does: a field that v does not have, or
// anything behind the value, is an error. An error of r is returned as it is.
func StrictJSON(r io.Reader, v any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	_, err := d.Token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = errors.New("something follows the value")
	}
	return err
}
