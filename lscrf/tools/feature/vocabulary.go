package feature

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// The sizes of the published histograms.
const (
	positionBins = 16  // a 4 x 4 grid over the picture
	colorWords   = 128 // of CIELAB
	siftWords    = 512 // of rootSIFT
)

// A Vocabulary holds the words that the histograms of the set HDSeg count. It must be trained on
// training images only, and belongs to every model that was trained with it. It is safe for
// concurrent use.
type Vocabulary struct {
	Colors []float32 // 128 x 3: L, a, b
	SIFT   []float32 // 512 x 128: rootSIFT, 0..16
	Bin    int       // Options.WordBin that the words were made with
	Sigma  float64   // Options.SIFTSigma
	Range  string    // Options.SIFTRange

	once   sync.Once
	sift   *table
	colors []uint8 // the colour word of 5 bits each of red, green and blue
}

// A Sample is what a picture contributes to a vocabulary.
type Sample struct {
	Colors []float32 // n x 3
	SIFT   []float32 // n x 128
}

// NewSample draws the colours of 200 pixels and the descriptors at 100 pixels of a picture.
func NewSample(img *raster.RGB, o Options, rng *rand.Rand) Sample {
	o.check()
	w, h := img.Width, img.Height
	rgb := make([]uint8, 3*200)
	for i := 0; i < len(rgb); i += 3 {
		rgb[i], rgb[i+1], rgb[i+2] = img.At(rng.IntN(w), rng.IntN(h))
	}
	s := Sample{make([]float32, len(rgb)), make([]float32, 128*100)}
	raster.LabTo(s.Colors, rgb)
	at := make([]point, 100)
	for i := range at {
		at[i] = point{rng.IntN(w), rng.IntN(h)}
	}
	sift(s.SIFT, 128, raster.Gray(img), w, h, at, o.words())
	return s
}

// NewVocabulary clusters samples, at least one, all made with o. Equal samples in equal order and
// an equal rng give an equal vocabulary. Cost: about 8 s for 500 samples.
func NewVocabulary(samples []Sample, o Options, rng *rand.Rand) *Vocabulary {
	o.check()
	if len(samples) == 0 {
		panic("feature: a vocabulary of no samples")
	}
	var colors, sifts []float32
	for _, s := range samples {
		colors = append(colors, s.Colors...)
		sifts = append(sifts, s.SIFT...)
	}
	return &Vocabulary{
		Colors: kmeans(colors, 3, colorWords, 30, rng),
		SIFT:   kmeans(sifts, 128, siftWords, 30, rng),
		Bin:    o.WordBin, Sigma: o.SIFTSigma, Range: o.SIFTRange,
	}
}

// index prepares the look-ups.
func (v *Vocabulary) index() {
	v.once.Do(func() {
		v.sift = newTable(v.SIFT, 128)
		t := newTable(v.Colors, 3)
		v.colors = make([]uint8, 1<<15)
		rgb, lab := make([]uint8, 3), make([]float32, 3)
		for i := range v.colors {
			// The middle of the cell of colours that share their five upper bits.
			rgb[0], rgb[1], rgb[2] = uint8(i>>10)<<3|4, uint8(i>>5)<<3|4, uint8(i)<<3|4
			raster.LabTo(lab, rgb)
			w, _ := t.nearest(lab)
			v.colors[i] = uint8(w)
		}
	})
}

// vocabularyMagic begins a file; the digit counts versions of the layout.
const vocabularyMagic = "hdsegvocabulary1"

// MarshalBinary returns the vocabulary's bytes, little endian: 16 bytes of name, float64 sigma,
// uint32 bin, uint32 range ('A' or 'B'), then Colors and SIFT as float32.
func (v *Vocabulary) MarshalBinary() ([]byte, error) {
	if len(v.Colors) != colorWords*3 || len(v.SIFT) != siftWords*128 || len(v.Range) != 1 {
		return nil, fmt.Errorf("vocabulary: %d colour and %d SIFT values: want %d and %d", len(v.Colors), len(v.SIFT),
			colorWords*3, siftWords*128)
	}
	b := append(make([]byte, 0, vocabularyLen), vocabularyMagic...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Sigma))
	b = binary.LittleEndian.AppendUint32(b, uint32(v.Bin))
	b = binary.LittleEndian.AppendUint32(b, uint32(v.Range[0]))
	for _, words := range [][]float32{v.Colors, v.SIFT} {
		for _, x := range words {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b, nil
}

const vocabularyLen = len(vocabularyMagic) + 16 + 4*(colorWords*3+siftWords*128)

// UnmarshalBinary reads what MarshalBinary wrote.
func (v *Vocabulary) UnmarshalBinary(b []byte) error {
	if len(b) != vocabularyLen || !bytes.HasPrefix(b, []byte(vocabularyMagic)) {
		return fmt.Errorf("vocabulary: got %d bytes that begin with %q, want %d that begin with %q", len(b),
			b[:min(len(b), len(vocabularyMagic))], vocabularyLen, vocabularyMagic)
	}
	b = b[len(vocabularyMagic):]
	sigma := math.Float64frombits(binary.LittleEndian.Uint64(b))
	bin, rng := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	o := Defaults()
	o.WordBin, o.SIFTSigma, o.SIFTRange = int(bin), sigma, string(rune(rng))
	if err := o.Validate(); err != nil {
		return fmt.Errorf("vocabulary: %w", err)
	}
	b = b[16:]
	words := make([]float32, len(b)/4)
	for i := range words {
		words[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if d := words[i] - words[i]; d != 0 {
			return fmt.Errorf("vocabulary: value %d: got %g, want a finite number", i, words[i])
		}
	}
	*v = Vocabulary{Colors: words[: colorWords*3 : colorWords*3], SIFT: words[colorWords*3:], Bin: o.WordBin, Sigma: sigma,
		Range: o.SIFTRange}
	return nil
}

// Digest returns the sha256 of MarshalBinary's bytes.
func (v *Vocabulary) Digest() (manifests.Digest, error) {
	b, err := v.MarshalBinary()
	if err != nil {
		return "", err
	}
	return manifests.Sum(b), nil
}
