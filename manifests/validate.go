package manifests

import "fmt"

// Validate lists everything that keeps m from being written.
func (m *Manifest) Validate() []error {
	var errs []error
	for i := range m.Records {
		r := &m.Records[i]
		if r.ID == "" {
			errs = append(errs, fmt.Errorf("record %d: empty id", i))
		}
		if i > 0 && m.Records[i-1].Compare(r) == 0 {
			errs = append(errs, fmt.Errorf("%s: twice in %s", r.ID, r.Split))
		}
	}
	return errs
}
