package campaign

import (
	"errors"
	"fmt"
)

// ErrNotFound is an item, revision or comment that does not exist, or that this person may not see.
var ErrNotFound = errors.New("no such thing here")

// ErrEmpty is a mask without figure that was not said to be empty on purpose.
var ErrEmpty = errors.New("the mask has no figure: mark it as empty if that is meant")

// A ForbiddenError is what a person may not do.
type ForbiddenError struct{ Why string }

func (e *ForbiddenError) Error() string { return "not allowed: " + e.Why }

// A BadRequestError is a request that makes no sense.
type BadRequestError struct{ Why string }

func (e *BadRequestError) Error() string { return e.Why }

// A ConflictError says that the line moved on: another revision than the one that a person began
// with is its head. Where a mask came with the request it was kept, as revision Kept.
type ConflictError struct {
	Line Line `json:"line"`
	Kept int  `json:"kept"` // 0 for none
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the head is revision %d by %s now", e.Line.Head, e.Line.Author)
}
