package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addScores: four borders at a time.
func addScores(words int) {
	name := fmt.Sprintf("addScores%d", words)
	TEXT(name, NOSPLIT, "func(scores *float64, run, total *int64, l2 float64, n uint64)")
	Doc(fmt.Sprintf("%s is addScores for words = %d and n borders, a multiple of 4.", name, words))
	scores := Load(Param("scores"), R8)
	run := Load(Param("run"), R9)
	total, l2 := YMM(), YMM()
	at := Load(Param("total"), RAX)
	VBROADCASTSD(NewParamAddr("l2", 24), l2)
	n := Load(Param("n"), R10)
	split := splitCells
	if words == 1 {
		VPBROADCASTQ(Mem{Base: at}, total)
		split = splitWords
	} else {
		VMOVDQU(Mem{Base: at}, total)
	}
	Label("loop")
	ns, nw := split(run, nil)
	ys, yw := split(run, total)
	VADDPD(l2, nw, nw)
	VADDPD(l2, yw, yw)
	VMULPD(yw, ns, ns)
	VMULPD(nw, ys, ys)
	VADDPD(ys, ns, ns)
	VMULPD(nw, yw, yw)
	VDIVPD(yw, ns, ns)
	VADDPD(Mem{Base: scores}, ns, ns)
	VMOVUPD(ns, Mem{Base: scores})
	ADDQ(U32(32*words), run)
	ADDQ(Imm(32), scores)
	SUBQ(Imm(4), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// splitWords gives the squared gradients and the weights of four cells of one word, or of
// total minus these.
func splitWords(run Register, total Op) (squares, weights VecVirtual) {
	v := YMM()
	VMOVDQU(Mem{Base: run}, v)
	if total != nil {
		VPSUBQ(v, total, v)
	}
	high, low, grads := XMM(), XMM(), XMM()
	squares, weights = YMM(), YMM()
	VEXTRACTI128(Imm(1), v, high)
	VSHUFPS(Imm(0x88), high, v.AsX(), low)
	VSHUFPS(Imm(0xdd), high, v.AsX(), grads)
	VCVTDQ2PD(low, weights)
	VCVTDQ2PD(grads, squares)
	VMULPD(squares, squares, squares)
	return squares, weights
}

// splitCells is splitWords for cells of four words: the squares of a cell are added
// lane by lane, then in pairs.
func splitCells(run Register, total Op) (squares, weights VecVirtual) {
	var first, sum [4]VecVirtual // weight in lane 0; squares
	zero := YMM()
	VXORPD(zero, zero, zero)
	for i := range 4 {
		v, borrow := YMM(), YMM()
		low, high := YMM(), YMM()
		VMOVDQU(Mem{Base: run, Disp: 32 * i}, v)
		if total != nil {
			VPSUBQ(v, total, v)
		}
		// A negative low field has taken one from the high field.
		VPSRAD(Imm(31), v, borrow)
		VPSLLQ(Imm(32), borrow, borrow)
		VPSUBD(borrow, v, v)
		VCVTDQ2PD(v.AsX(), low)
		first[i], sum[i] = low, YMM()
		VMULPD(low, low, sum[i])
		VBLENDPD(Imm(1), zero, sum[i], sum[i])
		VEXTRACTI128(Imm(1), v, v.AsX())
		VCVTDQ2PD(v.AsX(), high)
		VMULPD(high, high, high)
		VADDPD(high, sum[i], sum[i])
	}
	join := func(a, b VecVirtual, control uint64) VecVirtual {
		z := YMM()
		VPERM2F128(Imm(control), b, a, z)
		return z
	}
	for _, i := range []int{0, 2} {
		VUNPCKLPD(first[i+1], first[i], first[i])
		VHADDPD(sum[i+1], sum[i], sum[i])
	}
	weights = join(first[0], first[2], 0x20)
	squares = join(sum[0], sum[2], 0x20)
	VADDPD(join(sum[0], sum[2], 0x31), squares, squares)
	return squares, weights
}
