package lscrf

import (
	"strings"
	"testing"
)

func TestTrainOptionsValidate(t *testing.T) {
	if err := TrainDefaults().Validate(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	for want, set := range map[string]func(o *TrainOptions){
		"treeFeatures: got autoContext without folds": func(o *TrainOptions) { o.TreeFeatures.AutoContext = true },
		"treeFeatures.folds: got -3, want 2":          func(o *TrainOptions) { o.TreeFeatures.Folds = -3 },
		"treeFeatures.folds: got 1, want 2":           func(o *TrainOptions) { o.TreeFeatures.Folds = 1 },
		"chooseFolds: got -1, want 2":                 func(o *TrainOptions) { o.ChooseFolds = -1 },
	} {
		o := TrainDefaults()
		set(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}
