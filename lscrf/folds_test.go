package lscrf

import (
	"maps"
	"slices"
	"testing"
)

// Seven ids in three folds: two, two and three; another seed deals otherwise, the same alike.
func TestDealFolds(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g"}
	f := DealFolds(ids, 3, 1)
	count := [3]int{}
	for _, id := range ids {
		count[f[id]]++
	}
	if count != [3]int{3, 2, 2} {
		t.Errorf("got %v images per fold, want 3, 2, 2", count)
	}
	if !maps.Equal(f, DealFolds([]string{"g", "f", "e", "d", "c", "b", "a"}, 3, 1)) {
		t.Error("the order of ids changes their folds")
	}
	if maps.Equal(f, DealFolds(ids, 3, 2)) {
		t.Error("the seed changes nothing")
	}
}

// Frames are ordered by number, not by text, and cut into blocks film by film; numbered single pictures are dealt.
func TestSceneFolds(t *testing.T) {
	// CamVid names a film's frames 0006R0_f00930, another's 0016E5_00420.
	got := SceneFolds([]string{"A_9", "A_10", "A_11", "A_100", "B_01", "B_02", "C0_f00930", "C0_f00990"}, 2, 1)
	want := Folds{"A_9": 0, "A_10": 0, "A_11": 1, "A_100": 1, "B_01": 0, "B_02": 1, "C0_f00930": 0, "C0_f00990": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	ids := []string{"0000047", "0000051", "0000059", "0000072", "6000124", "9004294"}
	if !maps.Equal(SceneFolds(ids, 2, 5), DealFolds(ids, 2, 5)) {
		t.Error("numbered pictures are not dealt at random")
	}
}

// Films of fewer frames than folds stay whole, in the emptiest fold: a fills fold 0 with two,
// b fold 1 and c fold 2 with one, and d goes to the first of these.
func TestShortFilmsStayWhole(t *testing.T) {
	got := BlockFolds([]string{"d_1", "c_1", "b_1", "a_1", "a_2"}, 3)
	want := Folds{"a_1": 0, "a_2": 0, "b_1": 1, "c_1": 2, "d_1": 1}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Frames of a film in one fold are a block; single pictures are their own.
func TestBlocks(t *testing.T) {
	ids := []string{"A_1", "A_2", "A_3", "17", "18"}
	got := Blocks(ids, Folds{"A_1": 0, "A_2": 0, "A_3": 1, "17": 0, "18": 0})
	if !slices.Equal(got, []int{0, 0, 1, 2, 3}) {
		t.Errorf("got %v, want 0 0 1 2 3", got)
	}
}

func TestFoldsFile(t *testing.T) {
	f := Folds{"b": 1, "a": 0, "c_2": 4}
	text, err := f.MarshalText()
	if err != nil || string(text) != "a 0\nb 1\nc_2 4\n" {
		t.Fatalf("got %q, %v", text, err)
	}
	var back Folds
	if err := back.UnmarshalText(text); err != nil || !maps.Equal(back, f) || back.Count() != 5 {
		t.Errorf("got %v, %v", back, err)
	}
	windows := []byte("\xef\xbb\xbfa 0\r\n\r\nb 1\r\nc_2 4\r\n\r\n")
	if err := back.UnmarshalText(windows); err != nil || !maps.Equal(back, f) {
		t.Errorf("of an editor's file: got %v, %v", back, err)
	}
	for _, bad := range []string{"a\n", "a x\n", "a -1\n", "a 0\na 1\n"} {
		if back.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if _, err := (Folds{"a b": 0}).MarshalText(); err == nil {
		t.Error("an id with a blank was accepted")
	}
}
