// Package faults collects the faults of options.
package faults

import (
	"errors"
	"fmt"
)

// A List is what a Validate method found; nil is no fault. The zero value has none.
type List []error

// Want adds a fault unless ok: "name: got X, want Y".
func (f *List) Want(ok bool, name string, got any, want string) {
	if ok {
		return
	}
	format := "%s: got %v, want %s"
	if _, text := got.(string); text {
		format = "%s: got %q, want %s"
	}
	*f = append(*f, fmt.Errorf(format, name, got, want))
}

// In adds the faults of a part under its name.
func (f *List) In(part string, err error) {
	if err != nil {
		*f = append(*f, fmt.Errorf("%s: %w", part, err))
	}
}

// Err returns all faults as one error, or nil.
func (f List) Err() error { return errors.Join(f...) }
