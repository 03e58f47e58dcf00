package superpixel

import (
	"runtime"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// TestRealHorses prints the median processor time and the quality on 40 test horses, one core, and then what
// scikit-image and OpenCV need for the same pictures by the same definitions:
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 go test -run RealHorses -v ./lscrf/tools/superpixel
//
// It holds quality to what the project promises, and time to a fifth of scikit-image's and half of OpenCV's.
func TestRealHorses(t *testing.T) {
	horses := peer.TestSet(t, "horse", 40)
	n := float64(len(horses))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	slowest := 0.0
	for _, c := range []struct {
		method string
		count  int
		most   float64 // a peer's mean count: 311 scikit-image, 275 OpenCV
	}{{MethodSLIC, 350, 350}, {MethodSLIC, 310, 311}, {MethodSLIC, 275, 275}, {MethodWard, 350, 350}, {MethodWard, 310, 311}, {MethodWard, 275, 275}} {
		o := Defaults()
		o.Method, o.Count = c.method, c.count
		var asa, br, k float64
		for _, p := range horses {
			sp := Segment(p.Image, o)
			right, seen := Oracle(sp, p.Mask)
			near, border := Recall(sp, p.Mask, 2)
			asa += float64(right) / float64(seen) / n
			br += float64(near) / float64(max(1, border)) / n
			k += float64(sp.N) / n
		}
		ms := peer.Milliseconds(peer.Median(5, func() {
			for _, p := range horses {
				Segment(p.Image, o)
			}
		})) / n
		slowest = max(slowest, ms)
		t.Logf("hdseg %-4s count=%d  cpu %7.3f ms per image   ASA %.4f  BR %.4f  K %.0f", c.method, c.count, ms, asa, br, k)
		if asa < 0.972 || br < 0.80 || k > c.most {
			t.Errorf("%s, count %d: ASA %.4f, BR %.4f, K %.1f; want at least 0.972 and 0.80, at most %g", c.method, c.count, asa, br, k, c.most)
		}
	}
	theirs := peer.Shared(t, "superpixel")
	if len(theirs) == 0 {
		return
	}
	t.Logf("the slowest of ours takes 1/%.1f of scikit-image's time", min(theirs[0], theirs[1])/slowest)
	if 5*slowest > min(theirs[0], theirs[1]) {
		t.Errorf("%.1f ms, want at most a fifth of %.1f", slowest, theirs[0])
	}
	if len(theirs) > 2 {
		t.Logf("and 1/%.1f of OpenCV's", theirs[2]/slowest)
		if 2*slowest > theirs[2] {
			t.Errorf("%.1f ms, want at most half of %.1f", slowest, theirs[2])
		}
	}
}
