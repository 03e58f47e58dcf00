package boost

import (
	"bytes"
	"crypto/sha256"
	"math"
	"testing"
)

// smallModels returns trained models of every kind.
func smallModels(t testing.TB) map[string]*Model {
	x, edges, y := pairWorld(2, 30, 3, 200)
	b := binned(x, 3, 9).Binning
	out := map[string]*Model{}
	for name, c := range map[string]struct {
		d    Data
		loss Loss
		l    Leaves
	}{
		"pairs":    {Data{Design: Pairs(b.Bin(x, 30, 1), edges), Outputs: 1, Targets: y}, Squared, Independent},
		"rows":     {Data{Design: Rows(b.Bin(x, 30, 1)), Outputs: 1, Targets: y[:30]}, Squared, Shared},
		"logistic": {Data{Design: Rows(b.Bin(x, 30, 1)), Outputs: 2, Targets: signs(y[:60])}, Logistic, Independent},
		"shared":   {Data{Design: Rows(b.Bin(x, 30, 1)), Outputs: 3, Targets: y[:90]}, Squared, Shared},
	} {
		opt := Defaults()
		opt.Trees, opt.Depth, opt.Loss, opt.Leaves = 3, 2, c.loss, c.l
		m, err := Fit(c.d, opt, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = m
	}
	return out
}

func TestModelRoundTrip(t *testing.T) {
	for name, m := range smallModels(t) {
		data, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Model
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, _ := back.MarshalBinary()
		if !bytes.Equal(data, again) {
			t.Errorf("%s: bytes change when read and written again", name)
		}
	}
}

// Every shorter file and every file with one byte changed is refused and changes nothing.
func TestDamagedModelIsRefused(t *testing.T) {
	m := smallModels(t)["shared"]
	data, _ := m.MarshalBinary()
	for n := range data {
		back := Model{Outputs: 77}
		if back.UnmarshalBinary(data[:n]) == nil || back.Outputs != 77 {
			t.Fatalf("the first %d of %d bytes were taken for a model", n, len(data))
		}
		edited := bytes.Clone(data)
		edited[n] ^= 1
		if back.UnmarshalBinary(edited) == nil || back.Outputs != 77 {
			t.Fatalf("a change in byte %d was not seen", n)
		}
	}
}

// Numbers that no training gives are refused, though the checksum holds.
func TestModelNumbersAreFinite(t *testing.T) {
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for name, spoil := range map[string]func(s *Sequence){
			"base":  func(s *Sequence) { s.Base[0] = v },
			"value": func(s *Sequence) { s.Trees[0].Values[1] = v },
		} {
			m := smallModels(t)["shared"]
			spoil(&m.Sequences[0])
			data, _ := m.MarshalBinary()
			if new(Model).UnmarshalBinary(data) == nil {
				t.Errorf("%s of %v was taken", name, v)
			}
		}
	}
}

// What parses is written back to the same bytes, also when somebody fixed the checksum,
// and can predict.
func FuzzModel(f *testing.F) {
	for _, m := range smallModels(f) {
		data, _ := m.MarshalBinary()
		f.Add(data[:len(data)-sha256.Size])
	}
	f.Add([]byte("hdboost\x01"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		data := append(bytes.Clone(body), sum[:]...)
		var m Model
		if m.UnmarshalBinary(data) != nil {
			return
		}
		again, err := m.MarshalBinary()
		if err != nil || !bytes.Equal(data, again) {
			t.Fatal("bytes change when read and written again")
		}
		if dim := m.Binning.Dim(); dim < 100 && m.Outputs < 100 && len(body) < 10_000 {
			x := make([]float32, 2*dim)
			for i := range x {
				x[i] = float32(math.Sin(float64(i)))
			}
			if m.Pairs {
				m.PredictPairs(x, 2, [][2]int32{{0, 1}}, 1)
			} else {
				m.PredictRows(x, 2, 1)
			}
		}
	})
}
