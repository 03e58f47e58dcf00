package regress

import (
	"fmt"
	"math"
	"testing"
)

// dataOf turns test pictures into Data.
func dataOf(ps []picture, dim, labels int) *Data {
	d := &Data{Dim: dim, Labels: labels}
	for _, p := range ps {
		d.Images = append(d.Images, Image{X: p.x, Edges: p.edges, Y: p.y})
	}
	return d
}

// objectives lists every loss on the same data, balanced and with a penalty.
func objectives(d *Data, workers int) map[string]*objective {
	l, n := d.Labels, d.Labels*d.Labels
	node, _ := d.factors(Nodes, BalancePaper)
	pair, _ := d.factors(Edges, BalancePaper)
	return map[string]*objective{
		"logistic nodes":   newObjective(d, l, l, logisticNodes(node), 10, 1e-2, workers),
		"logistic edges":   newObjective(d, 2*n, n, logisticEdges(pair, l), 10, 1e-2, workers),
		"pseudolikelihood": newObjective(d, l+2*n, l+n, pseudolikelihood(node), 10, 1e-2, workers),
	}
}

// Analytic gradients against central differences.
func TestGradients(t *testing.T) {
	const dim, labels = 4, 3
	d := dataOf(pictures(500, 3, dim, labels), dim, labels)
	rng := pcg(501)
	checked := 0
	for name, o := range objectives(d, 1) {
		v, g, scratch := make([]float64, o.size()), make([]float64, o.size()), make([]float64, o.size())
		for i := range v {
			v[i] = 0.3 * rng.NormFloat64()
		}
		o.value(v, g)
		for i := range v {
			const h = 1e-5
			keep := v[i]
			v[i] = keep + h
			up := o.value(v, scratch)
			v[i] = keep - h
			down := o.value(v, scratch)
			v[i] = keep
			if want := (up - down) / (2 * h); math.Abs(g[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%s: derivative %d is %v, differences give %v", name, i, g[i], want)
			}
			checked++
		}
	}
	if checked != 15+81+96 {
		t.Fatalf("only %d derivatives checked", checked)
	}
}

func TestObjectivesDoNotDependOnWorkers(t *testing.T) {
	d := dataOf(pictures(510, 70, 5, 2), 5, 2)
	one, four := objectives(d, 1), objectives(d, 4)
	for name, o := range one {
		v := make([]float64, o.size())
		for i := range v {
			v[i] = math.Sin(float64(i))
		}
		a, b := make([]float64, o.size()), make([]float64, o.size())
		if x, y := o.value(v, a), four[name].value(v, b); x != y || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: 1 and 4 workers differ", name)
		}
	}
}

// Without features logistic regression gives the label frequencies: 3 of 4 figure.
func TestLogisticByHand(t *testing.T) {
	d := &Data{Dim: 1, Labels: 2, Images: []Image{{X: []float32{5, 5, 5, 5, 9}, Y: []uint8{1, 1, 0, 1, Skip}}}}
	o := Options{Balance: BalanceNone}
	m, r := Logistic(d, o, IterOptions{Iterations: 100, Tolerance: 1e-10, Workers: 1})
	if r.Status == Limit {
		t.Errorf("%+v", r)
	}
	p := softmax(m.PredictNodes([]float32{5}), 2)
	if math.Abs(p[1]-0.75) > 1e-5 {
		t.Errorf("P(figure) = %v, want 0.75", p[1])
	}
	o.Balance = BalancePaper // then both labels weigh alike
	m, _ = Logistic(d, o, IterOptions{Iterations: 100, Tolerance: 1e-10, Workers: 1})
	if p := softmax(m.PredictNodes([]float32{5}), 2); math.Abs(p[1]-0.5) > 1e-5 {
		t.Errorf("balanced P(figure) = %v, want 0.5", p[1])
	}
}

// The piece of an edge without features is the table of pair frequencies.
func TestPairLogisticByHand(t *testing.T) {
	// Edges 01, 12, 32, 23 over labels 0 0 1 1: pairs 00, 01, 11 twice.
	d := &Data{Dim: 1, Labels: 2, Images: []Image{{X: make([]float32, 4), Y: []uint8{0, 0, 1, 1}, Edges: [][2]int32{{0, 1}, {1, 2}, {3, 2}, {2, 3}}}}}
	m, _ := PairLogistic(d, Options{Balance: BalanceNone}, IterOptions{Iterations: 100, Tolerance: 1e-10, Workers: 1})
	p := softmax(m.PredictEdges(make([]float32, 2), [][2]int32{{0, 1}}), 4)
	for q, want := range []float64{0.25, 0.25, 0, 0.5} {
		if math.Abs(p[q]-want) > 1e-5 {
			t.Errorf("pair probabilities %v, want 1/4 1/4 0 1/2", p)
		}
	}
}

// On a graph of two nodes, with every labeling seen as often as its probability says, maximal
// pseudolikelihood is the true distribution, for it is consistent.
func TestPseudolikelihoodFindsTheDistribution(t *testing.T) {
	count := [4]int{40, 10, 15, 35} // labelings 00, 01, 10, 11 of 100
	d := &Data{Dim: 1, Labels: 2}
	for q, n := range count {
		for range n {
			d.Images = append(d.Images, Image{X: []float32{-1, 1}, Y: []uint8{uint8(q / 2), uint8(q % 2)}, Edges: [][2]int32{{0, 1}}})
		}
	}
	m, r := Pseudolikelihood(d, Options{Balance: BalanceNone}, IterOptions{Iterations: 300, Tolerance: 1e-9, Workers: 1})
	u := m.Unary.PredictNodes([]float32{-1, 1})
	p := m.Pair.PredictEdges([]float32{-1, 1}, [][2]int32{{0, 1}})
	joint := make([]float32, 4)
	for q := range joint {
		joint[q] = u[q/2] + u[2+q%2] + p[q]
	}
	for q, v := range softmax(joint, 4) {
		n := count[q]
		if math.Abs(v-float64(n)/100) > 1e-3 {
			t.Errorf("%+v: joint %v, want %v/100", r, joint, count)
		}
	}
}

// Overfitting: with as many features as nodes, every baseline labels its training image without a
// fault; shuffled labels that features cannot tell give chance on new images.
func TestBaselinesLearn(t *testing.T) {
	const dim, labels = 60, 2
	d := dataOf(pictures(530, 1, dim, labels), dim, labels)
	o := Options{Lambda: 1e-4, Balance: BalancePaper}
	it := IterOptions{Iterations: 300, Tolerance: 1e-6, Workers: 1}
	accuracy := func(m *Linear, d *Data) float64 {
		right, n := 0.0, 0.0
		for _, im := range d.Images {
			f := m.PredictNodes(im.X)
			for s, y := range im.Y {
				if y != Skip {
					n++
					if (f[2*s+1] > f[2*s]) == (y == 1) {
						right++
					}
				}
			}
		}
		return right / n
	}
	m, _ := Logistic(d, o, it)
	if a := accuracy(m, d); a != 1 {
		t.Errorf("logistic regression fits %v of one image", a)
	}
	pl, _ := Pseudolikelihood(d, o, it)
	if a := accuracy(pl.Unary, d); a < 0.5 {
		t.Errorf("unary scores of pseudolikelihood fit %v", a)
	}
	rng := pcg(531)
	many := dataOf(pictures(532, 40, 5, labels), 5, labels)
	for _, im := range many.Images {
		rng.Shuffle(len(im.Y), func(i, j int) { im.Y[i], im.Y[j] = im.Y[j], im.Y[i] })
	}
	m, _ = Logistic(many, o, it)
	fresh := dataOf(pictures(533, 40, 5, labels), 5, labels)
	for i, im := range fresh.Images {
		for s := range im.Y {
			fresh.Images[i].Y[s] = uint8(rng.IntN(2))
		}
	}
	if a := accuracy(m, fresh); math.Abs(a-0.5) > 0.06 {
		t.Errorf("random labels are predicted with accuracy %v, want about 0.5", a)
	}
}

func TestProgressStops(t *testing.T) {
	d := dataOf(pictures(550, 5, 3, 2), 3, 2)
	it := IterDefaults()
	it.Progress = func(i int, v float64) bool { return i < 2 }
	if _, r := Logistic(d, Options{Balance: BalanceNone}, it); r.Status != Stopped || r.Iterations != 2 {
		t.Errorf("%+v", r)
	}
}

// A warm start ends at the minimum that a cold start finds.
func TestWarmStartsFindTheSameMinimum(t *testing.T) {
	const dim, labels, images = 3, 2, 40
	d := dataOf(pictures(510, images, dim, labels), dim, labels)
	it := IterDefaults()
	it.Tolerance = 1e-7
	for name, o := range objectives(d, 1) {
		cold, warm := make([]float64, o.size()), make([]float64, o.size())
		c := minimize(o.value, cold, it)
		w := o.minimize(warm, it)
		if c.Status != Converged || w.Status != Converged || math.Abs(w.Value-c.Value) > 1e-6*math.Abs(c.Value) {
			t.Errorf("%s: cold %+v, warm %+v, want the same minimum", name, c, w)
		}
	}
}

// Few images are not worth a warm start, and none is no fault.
func TestFewImagesStartCold(t *testing.T) {
	d := dataOf(pictures(511, 31, 3, 2), 3, 2)
	o := newObjective(d, 2, 2, logisticNodes([]float64{1, 1}), 10, 1e-2, 1)
	cold, warm := make([]float64, o.size()), make([]float64, o.size())
	if c, w := minimize(o.value, cold, IterDefaults()), o.minimize(warm, IterDefaults()); c != w {
		t.Errorf("got %+v, want %+v", w, c)
	}
	empty := newObjective(&Data{Dim: 3, Labels: 2}, 2, 2, logisticNodes([]float64{1, 1}), 0, 1e-2, 1)
	if r := empty.minimize(make([]float64, empty.size()), IterDefaults()); r.Status != Converged {
		t.Errorf("without images: got %+v", r)
	}
}

// A progress function that stops a warm start stops it all.
func TestWarmStartsStop(t *testing.T) {
	d := dataOf(pictures(512, 40, 3, 2), 3, 2)
	o := newObjective(d, 2, 2, logisticNodes([]float64{1, 1}), 10, 1e-2, 1)
	it, calls := IterDefaults(), 0
	it.Progress = func(int, float64) bool { calls++; return false }
	if r := o.minimize(make([]float64, o.size()), it); r.Status != Stopped || calls != 1 {
		t.Errorf("got %+v after %d calls, want it stopped after one", r, calls)
	}
}
