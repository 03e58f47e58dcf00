package ingest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hdseg/manifests"
)

var wnidPattern = regexp.MustCompile(`^n[0-9]{8}$`)

var vocNames = strings.Fields("aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person " +
	"pottedplant sheep sofa train tvmonitor")

// VOCNumber returns the number that masks of PASCAL VOC have for a class, 1..20; 0 if the class is
// none of theirs.
func VOCNumber(name string) int { return slices.Index(vocNames, strings.ToLower(name)) + 1 }

// VOCName returns the name of a number in masks of PASCAL VOC; "" if it is none of theirs, 1..20.
func VOCName(number int) string {
	if number < 1 || number > len(vocNames) {
		return ""
	}
	return vocNames[number-1]
}

// CheckClass reports a class that ingest cannot work with: no name, a malformed or repeated synset,
// a VOC number outside 0..254 (0: the class is not one of VOC's).
func CheckClass(c manifests.Class) error {
	if c.Name == "" {
		return fmt.Errorf("class: got no name")
	}
	for i, s := range c.Synsets {
		if !wnidPattern.MatchString(s) {
			return fmt.Errorf("class %s: synset: got %q, want n and 8 digits", c.Name, s)
		}
		if slices.Contains(c.Synsets[:i], s) {
			return fmt.Errorf("class %s: synset %s is given twice", c.Name, s)
		}
	}
	if c.VOC < 0 || c.VOC >= 255 {
		return fmt.Errorf("class %s: VOC number: got %d, want 0..254", c.Name, c.VOC)
	}
	return nil
}

// Select returns c with some synsets added and others left out. Leaving out one that is not there
// is an error: it is a typing mistake that would otherwise go unseen.
func Select(c manifests.Class, add, exclude []string) (manifests.Class, error) {
	set := slices.Concat(c.Synsets, add)
	slices.Sort(set)
	set = slices.Compact(set)
	for _, s := range exclude {
		i, ok := slices.BinarySearch(set, s)
		if !ok {
			return c, fmt.Errorf("class %s: exclude %s: it is not one of the %d synsets", c.Name, s, len(set))
		}
		set = slices.Delete(set, i, i+1)
	}
	c.Synsets = set
	return c, CheckClass(c)
}
