package feature

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
)

func vocabulary(seed uint64) *Vocabulary {
	var samples []Sample
	for i := range uint64(6) {
		samples = append(samples, NewSample(peer.Scene(80, 60, i), Defaults(), rand.New(rand.NewPCG(seed, i))))
	}
	return NewVocabulary(samples, Defaults(), rand.New(rand.NewPCG(seed, 99)))
}

func TestVocabularyBytes(t *testing.T) {
	v := vocabulary(1)
	data, err := v.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Vocabulary
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.Colors, back.Colors) || !slices.Equal(v.SIFT, back.SIFT) || back.Bin != 4 || back.Sigma != 1 || back.Range != RangeB {
		t.Error("the vocabulary changed on its way")
	}
	again, err := vocabulary(1).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, again) {
		t.Error("equal samples and seeds gave another vocabulary")
	}
	d1, err1 := v.Digest()
	d2, err2 := back.Digest()
	if d1 != d2 || len(d1) != 64 || err1 != nil || err2 != nil {
		t.Errorf("digests %s (%v), %s (%v)", d1, err1, d2, err2)
	}
	nan := slices.Clone(data)
	copy(nan[len(nan)-4:], []byte{0, 0, 0xc0, 0x7f})
	badBin := slices.Clone(data)
	badBin[24] = 200
	for name, b := range map[string][]byte{
		"empty": nil, "short": data[:len(data)-1], "long": append(slices.Clone(data), 0),
		"other name": append([]byte("x"), data[1:]...), "nan": nan, "bin 200": badBin,
	} {
		if back.UnmarshalBinary(b) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (&Vocabulary{}).MarshalBinary(); err == nil {
		t.Error("an empty vocabulary was written")
	}
}

// What parses is written back to the same bytes.
func FuzzVocabulary(f *testing.F) {
	data, err := vocabulary(1).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	const head = len(vocabularyMagic) + 16 + 8 // the name, the options and two values
	f.Add(data[:head])
	f.Add([]byte(vocabularyMagic))
	f.Fuzz(func(t *testing.T, start []byte) {
		file := slices.Clone(data)
		copy(file[:head], start)
		var v Vocabulary
		if v.UnmarshalBinary(file) != nil {
			return
		}
		if again, err := v.MarshalBinary(); err != nil || !bytes.Equal(file, again) {
			t.Fatalf("bytes change when read and written again (%v)", err)
		}
	})
}
