package ingest

import (
	"path"
	"strings"

	"hdseg/manifests"
)

// An Exported source is an export of a data set of ours: by id, the split of each of its pictures, "" for an id that is in both. Such ids name the files as
// they are, and their pictures are of the class whether or not a mask has figure.
type Exported map[string]manifests.Split

// from says which source is listed next.
func (l *lister) from(req *Request, source string) { l.exported = req.Exported[source] }

// fileID is the id of a picture by the name of its file, or its path: that of an export is the name itself, whatever is escaped in it, any other is made safe.
func (l *lister) fileID(name string) string {
	if pictureName(name) {
		if id := strings.TrimSuffix(name, path.Ext(name)); l.has(id) {
			return id
		}
	}
	return safeID(name)
}

// stemID is fileID of a name that has no extension.
func (l *lister) stemID(stem string) string {
	if l.has(stem) {
		return stem
	}
	return safeID(stem)
}

func (l *lister) has(id string) bool {
	_, ok := l.exported[id]
	return ok
}

// splitOf is the split of a picture that the user names for split: test pictures of an export are so in any case.
func (l *lister) splitOf(id string, split manifests.Split) manifests.Split {
	if l.exported[id] == manifests.Test {
		return manifests.Test
	}
	return split
}
