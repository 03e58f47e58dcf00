package mrf

// roof computes the roof dual of a problem of two labels (Boros and Hammer 2002;
// Kolmogorov and Rother, "Minimizing Nonsubmodular Functions with Graph Cuts - A Review",
// PAMI 2007): a minimum cut of a graph that holds, beside every variable x, a second one
// x̄ that stands for 1-x. Where the two agree, yᵢ gets the label that all optima share
// (strong persistency), elsewhere unlabeled. It returns the number of unlabeled nodes and
// twice a lower bound of scale·E.
func (b *boolean) roof(p *Problem, f *Flow, y []uint8) (open int, twice int64) {
	n := int32(len(y))
	f.Reset(int(2 * n))
	twice = 2 * b.base
	for i, u := range b.u {
		f.nodes[i].spare = u
		f.nodes[int32(i)+n].spare = -u
		twice += 2 * min(u, 0)
	}
	for k, e := range p.Edges {
		i, j := e[0], e[1]
		d := &b.edges[k]
		switch {
		case d.a|d.b == 0:
		case d.repel: // between xᵢ and x̄ⱼ, and mirrored between xⱼ and x̄ᵢ
			f.link(i, j+n, d.a, d.b)
			f.link(j, i+n, d.a, d.b)
		default:
			f.link(i, j, d.a, d.b)
			f.link(j+n, i+n, d.a, d.b)
		}
	}
	twice += f.Solve()
	for i := range n {
		switch {
		case f.InSource(int(i)):
			y[i] = b.flip[i]
		case f.InSource(int(i + n)):
			y[i] = b.flip[i] ^ 1
		default:
			y[i] = unlabeled
			open++
		}
	}
	return open, twice
}
