package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestSettingsSectionListsWhatDiffers(t *testing.T) {
	s, err := settingsSection([]string{"in/a.json", "in/b.json", "c.json"}, []string{
		"dataset: horseseg\nfeature: {set: draft}\ntrain: {lambda: 0.5, trees: {trees: 300}}\n",
		"dataset: dogseg\nclass: {name: dog}\nfeature: {set: saliency}\ntrain: {lambda: 0.25, trees: {trees: 300, leaves: shared}}\n",
		"",
	})
	want := [][]string{{"feature.set", "draft", "saliency", "-"}, {"train.lambda", "0.5", "0.25", "-"},
		{"train.trees.leaves", "independent", "shared", "-"}, {"train.trees.trees", "300", "300", "-"}}
	if err != nil || !reflect.DeepEqual(s.Rows, want) || len(s.Text) != 1 || !strings.HasPrefix(s.Text[0], "c.json") {
		t.Errorf("got %q, %q, %v", s.Text, s.Rows, err)
	}
}
