package regress

func addTile(k int, a, b, w []float32, stride int, c []int64) { addTileGeneric(k, a, b, w, stride, c) }

func sumRows(dst, rows []float32, index []int32, w []float32) { sumRowsGeneric(dst, rows, index, w) }
