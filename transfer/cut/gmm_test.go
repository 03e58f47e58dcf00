package cut

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPrincipalAxis(t *testing.T) {
	// 2·uuᵀ + 0.5·I with u = (3, 0, 4)/5: the largest eigenvalue is 2.5, its axis u.
	axis, lambda := principalAxis([6]float64{2*0.36 + 0.5, 0, 2 * 0.48, 0.5, 0, 2*0.64 + 0.5})
	if math.Abs(lambda-2.5) > 1e-6 || math.Abs(math.Abs(axis[0])-0.6) > 1e-6 || math.Abs(axis[1]) > 1e-6 {
		t.Errorf("got %v, %g, want (0.6, 0, 0.8), 2.5", axis, lambda)
	}
	if _, l := principalAxis([6]float64{}); l != 0 {
		t.Errorf("zero matrix: got %g, want 0", l)
	}
}

// The density of a Gaussian with diagonal covariance (0.04, 0.09, 0.01) at one standard deviation in every
// coordinate: exp(-3/2) / ((2π)^1.5 · 0.2 · 0.3 · 0.1).
func TestGaussianDensity(t *testing.T) {
	g := Gaussian{Weight: 0.5, Mean: [3]float64{0.3, 0.4, 0.5}, Cov: [6]float64{0.04, 0, 0, 0.09, 0, 0.01}}
	g.prepare()
	want := math.Log(0.5) - 1.5 - 1.5*math.Log(2*math.Pi) - math.Log(0.2*0.3*0.1)
	if got := g.logDensity(0.5, 0.7, 0.6); math.Abs(float64(got)-want) > 1e-4 {
		t.Errorf("got %g, want %g", got, want)
	}
}

func TestFitMixtureFindsClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	centers := [][3]float64{{0.1, 0.1, 0.8}, {0.8, 0.2, 0.1}, {0.5, 0.9, 0.5}}
	var colors, weights []float32
	for i := range 900 {
		for c := range 3 {
			colors = append(colors, float32(centers[i%3][c]+0.02*r.NormFloat64()))
		}
		weights = append(weights, 1)
	}
	m := FitMixture(colors, weights, 3)
	m.Refit(colors, weights)
	for _, want := range centers {
		_, k := m.Score(float32(want[0]), float32(want[1]), float32(want[2]))
		g := m.Components[k]
		for c := range 3 {
			if math.Abs(g.Mean[c]-want[c]) > 0.01 {
				t.Errorf("cluster %v: got mean %v", want, g.Mean)
			}
		}
		if math.Abs(g.Weight-1.0/3) > 0.01 || math.Abs(g.Cov[0]-0.0004) > 0.0001 {
			t.Errorf("cluster %v: got weight %g and variance %g, want 0.333 and 0.0004", want, g.Weight, g.Cov[0])
		}
	}
}

func TestFitMixtureDegenerate(t *testing.T) {
	one := []float32{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}
	if m := FitMixture(one, []float32{1, 1}, 5); len(m.Components) != 1 {
		t.Errorf("one colour: got %d components, want 1", len(m.Components))
	} else if s, _ := m.Score(0.5, 0.5, 0.5); math.IsNaN(float64(s)) || math.IsInf(float64(s), 0) {
		t.Errorf("one colour: density %g", s)
	}
	m := FitMixture(one, []float32{0, 0}, 5)
	if s, k := m.Score(0, 0, 0); len(m.Components) != 0 || k != -1 || !math.IsInf(float64(s), -1) {
		t.Errorf("no weight: got %d components, score %g", len(m.Components), s)
	}
	m.Refit(one, []float32{1, 1}) // nothing to refit, and no panic
}
