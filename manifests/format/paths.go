package format

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Paths finds files by the names that other tools wrote for them. The very path counts first, then
// the longest ending that both have and that only one file has, a last name alone only where it is
// one file's. Folders that differ before that ending contradict, unless all files lie in one
// folder.
type Paths struct {
	byBase map[string][]string // by last part
	folder string              // of all files, if there is only one
	one    bool
	// the same by the names as one Unicode form (NFC) writes them, and the files of those names;
	// nil for ASCII
	composed *Paths
	written  map[string][]string
}

// How a file was found that is not where its name says.
const (
	OtherFolder   = "found_in_other_folder"
	OtherSpelling = "found_in_other_spelling" // in Unicode, as macOS writes accents
)

// NewPaths indexes slash-separated paths. With their extensions or without, names must have them
// alike.
func NewPaths(paths []string) *Paths {
	p := &Paths{byBase: map[string][]string{}, one: true}
	for i, file := range paths {
		p.byBase[path.Base(file)] = append(p.byBase[path.Base(file)], file)
		if i == 0 {
			p.folder = path.Dir(file)
		}
		p.one = p.one && path.Dir(file) == p.folder
	}
	if slices.ContainsFunc(paths, func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > 127 }) }) {
		p.compose(paths)
	}
	return p
}

// compose indexes the paths by their NFC.
func (p *Paths) compose(paths []string) {
	p.written = map[string][]string{}
	for _, file := range paths {
		c := norm.NFC.String(file)
		p.written[c] = append(p.written[c], file)
	}
	p.composed = &Paths{byBase: map[string][]string{}, folder: norm.NFC.String(p.folder), one: p.one}
	for c := range p.written {
		p.composed.byBase[path.Base(c)] = append(p.composed.byBase[path.Base(c)], c)
	}
}

// ErrAmbiguous is wrapped by Find when several files have the longest ending.
var ErrAmbiguous = errors.New("several files may be meant")

// Find returns the path of the file that a name means, and how it was found: "" where the name says
// so, OtherFolder or OtherSpelling. Backslashes, drive letters, URLs and what leads out of a folder
// (../) are no hindrance. The error wraps fs.ErrNotExist or ErrAmbiguous and names the candidates.
func (p *Paths) Find(name string) (file, how string, err error) {
	name = CleanPath(name)
	file, how, err = p.find(name)
	if p.composed == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, how, err
	}
	c, _, other := p.composed.find(norm.NFC.String(name))
	switch files := p.written[c]; {
	case other != nil:
		return "", "", err
	case len(files) > 1:
		return "", "", fmt.Errorf("%w: %s", ErrAmbiguous, Some(files, 5))
	default:
		return files[0], OtherSpelling, nil
	}
}

// find is Find for one spelling.
func (p *Paths) find(name string) (file, how string, err error) {
	candidates := p.byBase[path.Base(name)]
	if slices.Contains(candidates, name) {
		return name, "", nil
	}
	var best, contradict []string
	longest := 0
	for _, c := range candidates {
		n, against := sharedEnd(c, name)
		switch {
		case against && !p.one:
			contradict = append(contradict, c)
		case n > longest:
			best, longest = []string{c}, n
		case n == longest:
			best = append(best, c)
		}
	}
	// a last name alone tells only where it is one file's
	if longest == 1 && strings.Contains(name, "/") && len(contradict) > 0 {
		return "", "", fmt.Errorf("%w: %s", ErrAmbiguous, Some(slices.Concat(best, contradict), 5))
	}
	switch {
	case len(best) == 1:
		if path.Dir(best[0]) != path.Dir(name) {
			how = OtherFolder
		}
		return best[0], how, nil
	case len(best) > 1:
		return "", "", fmt.Errorf("%w: %s", ErrAmbiguous, Some(best, 5))
	case len(contradict) > 0:
		return "", "", fmt.Errorf("%w; %s lies in another folder", fs.ErrNotExist, Some(contradict, 5))
	}
	return "", "", fs.ErrNotExist
}

// Contradict tells whether two paths go on differently before the ending that both have.
func Contradict(a, b string) bool {
	_, against := sharedEnd(CleanPath(a), CleanPath(b))
	return against
}

// CleanPath returns the slash-separated path that a name of another system or a URL means.
func CleanPath(name string) string {
	if u, err := url.Parse(name); err == nil && u.Scheme != "" && u.Host != "" {
		name = u.Path
	}
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return strings.TrimPrefix(name, "/")
}

// sharedEnd returns how many parts two paths have in common from their end, and whether both go on
// before them, differently.
func sharedEnd(a, b string) (n int, against bool) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n, n < len(x) && n < len(y)
}

// Some lists names for a message, and only the first of them and a number if there are more than
// most.
func Some(names []string, most int) string {
	if n := len(names); n > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	}
	return strings.Join(names, ", ")
}

// Litter tells whether systems and tools leave such a file or folder behind. It is passed over
// without a word.
func Litter(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, "._") || slices.Contains(litter, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// litter are such names, in lower case; names that begin with ._ are the others.
var litter = []string{".ds_store", "__macosx", ".appledouble", ".spotlight-v100", ".fseventsd", ".temporaryitems",
	".directory", ".git", ".svn", ".hg",
	"thumbs.db", "desktop.ini", "@eadir"}
