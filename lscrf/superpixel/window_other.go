package superpixel

func assignRow(best []float32, labels []int32, l, a, b, across []float32, c center, down float32, id int32) {
	assignRowGeneric(best, labels, l, a, b, across, c, down, id)
}
