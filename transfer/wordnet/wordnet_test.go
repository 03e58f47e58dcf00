package wordnet

import "testing"

// The closures' sizes are those of WordNet 3.0 without instances.
func TestClosure(t *testing.T) {
	for root, want := range map[string]int{"n02374451": 88, "n02084071": 190} {
		got := 1
		for s := range parents {
			if _, below := above(s)[root]; below && s != root {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: got %d synsets, want %d", root, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"n02374451", "n02374451", 0},
		{"n02084071", "n01322604", 1}, // dog, puppy
		{"n02085620", "n02085374", 1}, // Chihuahua, toy dog
		{"n02085620", "n02085782", 2}, // Chihuahua, Japanese spaniel: both toy dogs
		{"n02374451", "n02084071", 7}, // horse-equine-odd-toed ungulate-ungulate-placental-carnivore-canine-dog
		{"n02374451", "n99999999", Far},
		{"", "n02374451", Far},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: got %d, want %d", c.a, c.b, got, c.want)
		}
		if Distance(c.a, c.b) != Distance(c.b, c.a) {
			t.Errorf("%s, %s: not symmetric", c.a, c.b)
		}
	}
}
