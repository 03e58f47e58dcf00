package manifests

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// A Digest is a sha256 as 64 lower-case hexadecimal digits; "" means "not known".
type Digest string

// hexDigits is the length of a Digest.
const hexDigits = 2 * sha256.Size

// Sum returns the digest of data.
func Sum(data []byte) Digest {
	h := sha256.Sum256(data)
	return Digest(hex.EncodeToString(h[:]))
}

// SumFile returns the digest of a regular file's bytes, which need not fit into memory.
func SumFile(name string) (Digest, error) {
	f, _, err := openRegular(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return Digest(hex.EncodeToString(h.Sum(nil))), nil
}

func (s *Store) sum(p string) (Digest, error) {
	name, err := s.Path(p)
	if err != nil {
		return "", err
	}
	return SumFile(name)
}

// ParseDigest checks that s is 64 lower-case hexadecimal digits.
func ParseDigest(s string) (Digest, error) {
	if len(s) != hexDigits {
		return "", fmt.Errorf("digest %q: got %d characters, want 64 hexadecimal digits", s, len(s))
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", fmt.Errorf("digest %q: character %q is not a lower-case hexadecimal digit", s, c)
		}
	}
	return Digest(s), nil
}

// Short returns the first 12 digits, enough to name a file.
func (d Digest) Short() string {
	if len(d) < 12 {
		return string(d)
	}
	return string(d[:12])
}

// FileKey turns an id into a name that is safe in addresses and files: letters, digits, '_', '-'
// and '.', no dot first, at most 80 characters. Any other id is changed to that, with a digest
// added.
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
