package manifests

import "strings"

// FileKey turns an id into a name that is safe in addresses and as a file of annotation: an id of letters, digits, '_', '-' and '.' that
// does not begin with a dot, of at most 80 characters, is its own key; of any other one the odd characters are
// replaced and a digest is added.
func FileKey(id string) string {
	safe := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, id)
	safe = strings.TrimLeft(safe, ".")
	if safe == id && len(id) > 0 && len(id) <= 80 {
		return id
	}
	return safe[:min(len(safe), 60)] + "~" + Sum([]byte(id)).Short()
}
