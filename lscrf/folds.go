package lscrf

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"hdseg/manifests/format"
)

// Folds says for every image which part of a cross-validation holds it out, counted from 0. Its
// text form, kept in a file, has one line "id fold" per image, sorted by id.
type Folds map[string]int

// DealFolds deals ids to k folds of equal size, give or take one, in a random order that seed
// draws.
func DealFolds(ids []string, k int, seed uint64) Folds {
	f := Folds{}
	ids = slices.Sorted(slices.Values(ids))
	rand.New(rand.NewPCG(seed, uint64(k))).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for i, id := range ids {
		f[id] = i * k / len(ids)
	}
	return f
}

// SceneFolds cuts films into blocks as BlockFolds does, and deals single pictures as DealFolds
// does. A single picture has an id that is a number alone, as in Stanford Background, or has no
// number. Every other id is taken for a frame of a film: near-duplicates in two folds would flatter
// every model, while single pictures lose nothing when they are cut into blocks.
func SceneFolds(ids []string, k int, seed uint64) Folds {
	var single, frames []string
	for _, id := range ids {
		if name, _ := frameOf(id); name == "" {
			single = append(single, id)
		} else {
			frames = append(frames, id)
		}
	}
	f := BlockFolds(frames, k)
	maps.Copy(f, DealFolds(single, k, seed))
	return f
}

// BlockFolds cuts every sequence of frames into k contiguous blocks, one per fold, because
// neighboring frames are near-duplicates. The ids of a sequence are equal up to their last run of
// digits, which numbers the frames. A sequence with fewer than k frames goes as a whole to the fold
// with the fewest images.
func BlockFolds(ids []string, k int) Folds {
	sequences := map[string][]string{}
	for _, id := range ids {
		name, _ := frameOf(id)
		sequences[name] = append(sequences[name], id)
	}
	f := Folds{}
	count := make([]int, k)
	put := func(id string, fold int) {
		f[id] = fold
		count[fold]++
	}
	for _, name := range slices.Sorted(maps.Keys(sequences)) {
		seq := sequences[name]
		if len(seq) < k {
			fold := slices.Index(count, slices.Min(count))
			for _, id := range seq {
				put(id, fold)
			}
			continue
		}
		slices.SortFunc(seq, func(a, b string) int {
			_, i := frameOf(a)
			_, j := frameOf(b)
			return cmp.Or(cmp.Compare(i, j), cmp.Compare(a, b))
		})
		for i, id := range seq {
			put(id, i*k/len(seq))
		}
	}
	return f
}

// Blocks numbers the blocks of images that a comparison may treat as independent: the frames of one
// film in one fold are a block, and so is every single picture.
func Blocks(ids []string, f Folds) []int {
	numbers := map[string]int{}
	out := make([]int, len(ids))
	for i, id := range ids {
		key := id
		if name, _ := frameOf(id); name != "" {
			key = fmt.Sprintf("%s %d", name, f[id])
		}
		n, ok := numbers[key]
		if !ok {
			n = len(numbers)
			numbers[key] = n
		}
		out[i] = n
	}
	return out
}

// frameOf splits an id into what stands before its last run of digits, and the number of that run.
func frameOf(id string) (sequence string, frame int) {
	end := strings.LastIndexAny(id, "0123456789") + 1
	start := end
	for start > 0 && id[start-1] >= '0' && id[start-1] <= '9' {
		start--
	}
	// no digits, or too many, count as frame 0: the order is then that of ids
	n, _ := strconv.Atoi(id[start:end])
	return id[:start], n
}

// MarshalText returns the file form.
func (f Folds) MarshalText() ([]byte, error) {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(f)) {
		if id == "" || strings.ContainsAny(id, " \t\r\n") {
			return nil, fmt.Errorf("folds: id %q: want one word", id)
		}
		fmt.Fprintf(&b, "%s %d\n", id, f[id])
	}
	return []byte(b.String()), nil
}

// UnmarshalText reads the file form; empty lines do not count.
func (f *Folds) UnmarshalText(text []byte) error {
	*f = Folds{}
	text, err := format.PlainText(text)
	if err != nil {
		return fmt.Errorf("folds: %w", err)
	}
	line := 0
	for s := range strings.Lines(string(text)) {
		if line++; strings.TrimSpace(s) == "" {
			continue
		}
		id, number, ok := strings.Cut(strings.TrimSpace(s), " ")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if _, twice := (*f)[id]; !ok || err != nil || n < 0 || n > 1e6 || twice {
			return fmt.Errorf("folds: line %d: got %q, want an id that is not listed yet and its fold", line, strings.TrimSpace(s))
		}
		(*f)[id] = n
	}
	return nil
}

// Count returns the number of folds. Some may be empty.
func (f Folds) Count() int {
	n := 0
	for _, k := range f {
		n = max(n, k+1)
	}
	return n
}
