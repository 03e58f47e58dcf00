package ingest

import (
	"cmp"
	"math/bits"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A Duplicate says that a record shows the same picture as one before it; test records come first.
// Only Split removes any: it is for a person to look at.
type Duplicate struct {
	Record, Of string // split/id
	Distance   int    // differing bits of 128; -1 when the pixels are equal
}

// duplicates finds equal and near pictures and notes them on the later record. hashes[i] belongs to
// records[i]. Each is compared with the first of every group only: a thousand copies give a
// thousand lines, not half a million.
func duplicates(records []manifests.Record, hashes []nearHash) []Duplicate {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	// "test" comes before "train"
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(records[a].Split, records[b].Split) })
	var out []Duplicate
	equal := make(map[manifests.Digest]int, len(records))
	var index nearIndex
	var firsts []int // of the groups, as the index numbers them
	for _, i := range order {
		r := &records[i]
		d := Duplicate{Record: name(r)}
		if k, ok := equal[r.Image.Pixels]; ok {
			if records[k].Image.Path == r.Image.Path {
				continue // two objects of one picture
			}
			d.Of, d.Distance = name(&records[k]), -1
			r.Image.Notes = append(r.Image.Notes, manifests.DuplicateNote+d.Of)
		} else if k, distance := index.nearest(hashes[i], nearBits); k >= 0 {
			equal[r.Image.Pixels] = i
			d.Of, d.Distance = name(&records[firsts[k]]), distance
			r.Image.Notes = append(r.Image.Notes, manifests.NearDuplicateNote+d.Of)
		} else {
			equal[r.Image.Pixels] = i
			index.add(hashes[i])
			firsts = append(firsts, i)
			continue
		}
		out = append(out, d)
	}
	return out
}

func name(r *manifests.Record) string { return string(r.Split) + "/" + r.ID }

// A nearHash is 128 bits that change little when a picture is scaled or compressed again: for each
// of 8 x 8 cells, whether it is brighter than its right and than its lower neighbour (the
// "difference hash", in both directions).
type nearHash [2]uint64

// hashNear computes the hash from mean luma over a 9 x 9 grid, in one pass over every second row.
func hashNear(m *raster.RGB) nearHash {
	const n = 9
	var sum, count [n * n]int
	step := 1
	if m.Height >= 4*n {
		step = 2
	}
	for y := 0; y < m.Height; y += step {
		row := m.Pix[3*y*m.Width:][:3*m.Width]
		cy := y * n / m.Height
		x := 0
		for cx := range n {
			end := ((cx+1)*m.Width + n - 1) / n
			s := 0
			for i := 3 * x; i < 3*end; i += 3 {
				s += 2*int(row[i]) + 5*int(row[i+1]) + int(row[i+2])
			}
			if end > x {
				sum[cy*n+cx] += s
				count[cy*n+cx] += end - x
			}
			x = max(x, end)
		}
	}
	var mean [n * n]int
	for i := range mean {
		if count[i] > 0 {
			mean[i] = 32 * sum[i] / count[i]
		}
	}
	var h nearHash
	for y := range n - 1 {
		for x := range n - 1 {
			c := mean[y*n+x]
			if c > mean[y*n+x+1] {
				h[0] |= 1 << (8*y + x)
			}
			if c > mean[(y+1)*n+x] {
				h[1] |= 1 << (8*y + x)
			}
		}
	}
	return h
}

// distance counts the bits that differ, 0..128.
func (h nearHash) distance(o nearHash) int {
	return bits.OnesCount64(h[0]^o[0]) + bits.OnesCount64(h[1]^o[1])
}

// nearBits is in how many bits of 128 the hashes of near duplicates may differ: copies of the
// shared sets differ in 0, other pictures in 14 or more (ours).
const nearBits = 8

// nearBands is how many bands of bits the index looks up: two hashes that differ in fewer bits
// agree in at least one band.
const nearBands = 16

// A nearIndex finds hashes within a distance below nearBands without comparing all pairs.
type nearIndex struct {
	hashes []nearHash
	bands  [nearBands][256][]int32 // by the byte of a band
}

func (x *nearIndex) add(h nearHash) {
	i := int32(len(x.hashes))
	x.hashes = append(x.hashes, h)
	for b := range nearBands {
		v := h.band(b)
		x.bands[b][v] = append(x.bands[b][v], i)
	}
}

// nearest returns the first added hash with the least distance of at most limit, or -1.
func (x *nearIndex) nearest(h nearHash, limit int) (i, distance int) {
	i, distance = -1, limit+1
	for b := range nearBands {
		for _, k := range x.bands[b][h.band(b)] {
			if d := h.distance(x.hashes[k]); d < distance || d == distance && int(k) < i {
				i, distance = int(k), d
			}
		}
	}
	return i, distance
}

func (h nearHash) band(b int) uint8 { return uint8(h[b/8] >> (8 * (b % 8))) }
