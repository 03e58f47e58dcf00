package campaign

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Role says what a person may do.
type Role string

// Annotators draw and submit. Reviewers do that too, and accept, reject, reopen and adjudicate.
const (
	Annotator Role = "annotator"
	Reviewer  Role = "reviewer"
)

// A Person works in a campaign.
type Person struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
}

// NewPerson checks a name (1 to 60 printable characters, not "main", no blanks around it) and a
// role.
func NewPerson(name string, role Role) (Person, error) {
	if n := utf8.RuneCountInString(name); n < 1 || n > 60 || !utf8.ValidString(name) || strings.TrimSpace(name) != name || name == Main {
		return Person{}, fmt.Errorf("name %q: want 1 to 60 characters without blanks around them, and not %q", name, Main)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return Person{}, fmt.Errorf("name %q: want printable characters", name)
		}
	}
	if role != Annotator && role != Reviewer {
		return Person{}, fmt.Errorf("role %q: want annotator or reviewer", role)
	}
	return Person{name, role}, nil
}
