package annotate

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"hdseg/annotate/exchange"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// names finds the records that masks belong to.
type names struct {
	records []manifests.Record
	exact   map[string]int // by id, by the path that it stands for and by export's name
	sent    map[string]int // by names that only export gives: they mean one record in any folder
	paths   *format.Paths
}

func newNames(m *manifests.Manifest) *names {
	n := &names{records: m.Records, exact: map[string]int{}, sent: map[string]int{}}
	var paths []string
	for i := range m.Records {
		r := &m.Records[i]
		if p, err := url.PathUnescape(r.ID); err == nil {
			n.exact[p] = i
			paths = append(paths, p)
		}
	}
	for i := range m.Records {
		r := &m.Records[i]
		n.exact[r.ID] = i
		n.exact[exchange.Name(r)] = i
		if exchange.Name(r) != r.ID {
			n.sent[exchange.Name(r)] = i
		}
	}
	n.paths = format.NewPaths(paths)
	return n
}

// find returns the record of a mask, and how its name was found if that is not the record's: see
// format.Paths.
func (n *names) find(name string) (at int, how string, err error) {
	if i, ok := n.exact[name]; ok {
		return i, "", nil
	}
	name = format.CleanPath(name)
	if i, ok := n.exact[name]; ok {
		return i, "", nil
	}
	if i, ok := n.sent[path.Base(name)]; ok {
		return i, "", nil
	}
	p, how, err := n.paths.Find(name)
	// p0.jpg.png
	if cut := format.PictureStem(name); cut != name && errors.Is(err, fs.ErrNotExist) {
		p, how, err = n.paths.Find(cut)
	}
	if err != nil {
		return 0, "", errors.New("no record has this id" + format.Candidates(err))
	}
	return n.exact[p], how, nil
}

// record is find for those who need no reason.
func (n *names) record(name string) (at int, ok bool) {
	at, _, err := n.find(name)
	return at, err == nil
}

// of finds the records of masks, and sets the error of those that have none, see format.Settle.
// moved lists masks that lie in another folder than their pictures, or that spell them otherwise.
func (n *names) of(masks []exchange.Drawn) (at []int, moved []string) {
	at = make([]int, len(masks))
	exported := map[string]bool{} // folders
	for i := range masks {
		if _, ok := n.sent[path.Base(masks[i].Name)]; ok {
			exported[path.Dir(masks[i].Name)] = true
		}
	}
	found := make([]format.Found, len(masks))
	for i := range masks {
		f := &found[i]
		*f = format.Found{Name: masks[i].Name, Origin: masks[i].File, Err: masks[i].Err}
		if !strings.HasPrefix(f.Origin, f.Name) { // one of several in the file
			f.Origin += ": " + f.Name
		}
		if f.Err != nil {
			continue
		}
		r, ok := n.exact[path.Base(f.Name)]
		if !ok || !exported[path.Dir(f.Name)] {
			r, f.How, f.Err = n.find(f.Name)
		}
		at[i], f.File = r, n.records[r].ID
	}
	format.Settle(found, false)
	for i, f := range found {
		if masks[i].Err = f.Err; f.Err == nil && f.How != "" {
			moved = append(moved, f.Name+" is "+f.File)
		}
	}
	slices.Sort(moved)
	return at, moved
}
