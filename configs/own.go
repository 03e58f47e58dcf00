package configs

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"text/template"

	"hdseg/ingest"
)

// heldOutShare is the testShare of a config that Own writes.
const heldOutShare = 0.2

var own = template.Must(template.New("").Parse(
	`# A class of your own. What is not named here keeps its default; hdseg help settings lists all.
dataset: {{index . 0}}  # names the manifest: letters, digits, '-' and '_'
class:
  name: {{index . 1}}  # as box tables and COCO files call the class
  voc: {{index . 2}}  # its number in the masks of a VOC devkit; 0: none
  synsets: {{index . 3}}  # of its ImageNet pictures, such as [n02121808]; []: none
testShare: {{index . 4}}  # of the pictures with masks, to measure on where you name no --test
`))

// Own returns the text of a config for a class of one's own, with comments. What Load would refuse
// is an error that says what is allowed.
func Own(dataset string, c Class) ([]byte, error) {
	if c.Name != strings.Join(strings.Fields(c.Name), " ") {
		return nil, fmt.Errorf("class %q: want words with one space between them", c.Name)
	}
	if c.Synsets == nil {
		c.Synsets = []string{}
	}
	e := defaults()
	e.Dataset, e.Class = dataset, c
	if err := validName(dataset); err != nil {
		return nil, fmt.Errorf("the name of the data set: %w", err)
	}
	if err := cmp.Or(e.Validate(), ingest.CheckClass(e.ManifestClass())); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	line := func(v any) string { return defaultText(reflect.ValueOf(v)) }
	err := own.Execute(&out, []any{line(dataset), line(c.Name), c.VOC, line(c.Synsets), heldOutShare})
	return out.Bytes(), err
}
