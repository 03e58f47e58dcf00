package boost

// A Held is a model with those that stand in for it where it must not have seen a group, such as an image.
type Held[M any] struct {
	Model   M
	without []M         // per fold
	fold    map[int]int // of the groups
}

// NewHeld joins a model with those of which the one at f was made without the groups of fold f. group and fold are those of the
// rows of a Cross, equally long.
func NewHeld[M any](model M, without []M, group, fold []int) *Held[M] {
	h := &Held[M]{model, without, map[int]int{}}
	for i, g := range group {
		h.fold[g] = fold[i]
	}
	return h
}

// Without returns the model made without a group, and Model for a group that was in no row.
func (h *Held[M]) Without(group int) M {
	if f, ok := h.fold[group]; ok {
		return h.without[f]
	}
	return h.Model
}
