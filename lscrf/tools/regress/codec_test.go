package regress

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"
)

func encode(t testing.TB, s *Stats) []byte {
	t.Helper()
	b, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCodec(t *testing.T) {
	for _, kind := range []Kind{Nodes, Edges} {
		ps := pictures(60, 9, 5, 3)
		s := statsOf(t, kind, ps, 5, 3)
		b := encode(t, s)
		var back Stats
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		if !bytes.Equal(encode(t, &back), b) {
			t.Fatalf("%v: read back something else", kind)
		}
		// What was read can be gone on with.
		rest := pictures(61, 2, 5, 3)
		for _, p := range rest {
			if err := back.AddImage(p.x, p.edges, p.y); err != nil {
				t.Fatal(err)
			}
		}
		all := statsOf(t, kind, append(rest, ps...), 5, 3)
		if !bytes.Equal(encode(t, &back), encode(t, all)) {
			t.Errorf("%v: going on after reading gives other bytes", kind)
		}
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	s := statsOf(t, Edges, pictures(80, 3, 2, 2), 2, 2)
	b := encode(t, s)
	refused := 0
	try := func(what string, bad []byte) {
		t.Helper()
		keep := s.Clone()
		if err := keep.UnmarshalBinary(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error %v", what, err)
		}
		if !same(t, keep, s) {
			t.Errorf("%s: a refused file changed the receiver", what)
		}
		refused++
	}
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1 << (i % 8)
		try("flipped bit", bad)
		try("cut", b[:i])
	}
	try("longer", append(bytes.Clone(b), 0))
	// Wrong content under a right checksum.
	for what, f := range map[string]func([]byte) []byte{
		"kind":     func(b []byte) []byte { b[8] = 9; return b },
		"huge dim": func(b []byte) []byte { b[14] = 0x70; return b },
		"labels":   func(b []byte) []byte { b[10] = 0; return b },
		"sizes":    func(b []byte) []byte { b[headerLen+4*8] = 16; return b },
		"longer":   func(b []byte) []byte { return append(b, 0) },
		"shorter":  func(b []byte) []byte { return b[:len(b)-1] },
		"no sums":  func(b []byte) []byte { return b[:headerLen+3] },
	} {
		bad := f(bytes.Clone(b[:len(b)-sha256.Size]))
		sum := sha256.Sum256(bad)
		try(what, append(bad, sum[:]...))
	}
	if refused != 2*len(b)+8 {
		t.Fatalf("tried %d files", refused)
	}
}

// What is accepted is written back to the same bytes, whatever it claims.
func FuzzUnmarshal(f *testing.F) {
	for _, kind := range []Kind{Nodes, Edges} {
		b := encode(f, statsOf(f, kind, pictures(90, 2, 1, 2), 1, 2))
		f.Add(b[:len(b)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		b := append(bytes.Clone(body), sum[:]...)
		var s Stats
		if s.UnmarshalBinary(b) == nil && !bytes.Equal(encode(t, &s), b) {
			t.Error("written back differently")
		}
	})
}
