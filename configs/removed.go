package configs

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// removed says what became of settings that earlier versions had: a dotted path, which stands for
// everything below it too, and one sentence. A config or --set that names one is refused with it.
var removed = map[string]string{}

// removedSetting returns an error for the first setting in a document that is removed, with the
// line it stands on; nil if there is none.
func removedSetting(doc *yaml.Node) error {
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		return removedBelow("", doc.Content[0])
	}
	return nil
}

func removedBelow(path string, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
		if why, ok := removed[at]; ok {
			return fmt.Errorf("line %d: %s is no setting any more: %s", n.Content[i].Line, at, why)
		}
		if err := removedBelow(at, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}
