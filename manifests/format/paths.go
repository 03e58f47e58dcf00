package format

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
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
	byBase map[string][]string // by last part, in small letters and one Unicode form (NFC)
	one    bool                // all files lie in one folder
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
	for _, file := range paths {
		base := baseKey(file)
		p.byBase[base] = append(p.byBase[base], file)
		p.one = p.one && path.Dir(file) == path.Dir(paths[0])
	}
	return p
}

func baseKey(name string) string { return strings.ToLower(norm.NFC.String(path.Base(name))) }

// ErrAmbiguous is wrapped by Find when several files have the longest ending.
var ErrAmbiguous = errors.New("several files may be meant")

// Find returns the path of the file that a name means, and how it was found: "" where the name says
// so, OtherFolder or OtherSpelling. Backslashes, drive letters, URLs and what leads out of a folder
// (../) are no hindrance. The error wraps fs.ErrNotExist or ErrAmbiguous and names the candidates,
// also the file that a name with %20 and the like or with an ending as _mask or .1 may mean.
func (p *Paths) Find(name string) (file, how string, err error) {
	name = CleanPath(name)
	file, how, err = p.either(name)
	if err != fs.ErrNotExist { // without candidates
		return file, how, err
	}
	near := []string{Unmasked(name), strings.TrimSuffix(name, path.Ext(name))}
	if plain, bad := url.PathUnescape(name); bad == nil {
		near = append(near, plain)
	}
	for _, other := range near {
		if file, _, bad := p.either(other); bad == nil && other != name {
			return "", "", fmt.Errorf("%w; %s may be meant: write both alike", err, file)
		}
	}
	return "", "", err
}

// Candidates ends a message about a name that Find did not find with what it may mean, if anything.
func Candidates(err error) string {
	if err == fs.ErrNotExist {
		return ""
	}
	return "; " + strings.TrimPrefix(err.Error(), fs.ErrNotExist.Error()+"; ")
}

// maskEndings are what people add to a picture's name to name its mask.
var maskEndings = []string{"_mask", "-mask", ".mask", "_masks", "_gt", "_seg", "_segmentation", "_label", "_labels", "_matte"}

// Unmasked is a name, with its extension or without, less an ending that people give to masks.
func Unmasked(name string) string {
	for _, ending := range maskEndings {
		for _, ext := range []string{"", path.Ext(name)} {
			if plain, ok := strings.CutSuffix(name, ending+ext); ok {
				return plain + ext
			}
		}
	}
	return name
}

// PictureStem is a name without the extension of a picture; any other ending is part of the name.
func PictureStem(name string) string {
	ext := path.Ext(name)
	if slices.Contains([]string{".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff"}, strings.ToLower(ext)) {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// either is Find for a name as it is spelled, or else as NFC spells it.
func (p *Paths) either(name string) (file, how string, err error) {
	file, how, err = p.find(name, func(s string) string { return s })
	if !errors.Is(err, fs.ErrNotExist) {
		return file, how, err
	}
	switch file, _, other := p.find(name, norm.NFC.String); {
	case other == nil:
		return file, OtherSpelling, nil
	case err == fs.ErrNotExist, errors.Is(other, ErrAmbiguous): // err has no candidates, or fewer
		return "", "", other
	}
	return "", "", err
}

// find is Find for one spelling.
func (p *Paths) find(name string, spell func(string) string) (file, how string, err error) {
	candidates := p.byBase[baseKey(name)]
	if slices.Contains(candidates, name) {
		return name, "", nil
	}
	var best, contradict, cases []string
	longest, want := 0, spell(name)
	for _, c := range candidates {
		spelled := spell(c)
		n, against := sharedEnd(spelled, want)
		switch {
		case n == 0 && strings.EqualFold(path.Base(spelled), path.Base(want)):
			cases = append(cases, c)
		case n == 0:
		case spelled == want && longest < math.MaxInt:
			best, longest = []string{c}, math.MaxInt
		case spelled == want:
			best = append(best, c)
		case against && !p.one:
			contradict = append(contradict, c)
		case n > longest:
			best, longest = []string{c}, n
		case n == longest:
			best = append(best, c)
		}
	}
	// a last name alone tells only where it is one file's
	if longest == 1 && strings.Contains(name, "/") {
		best = append(best, contradict...)
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
	case len(cases) > 0:
		return "", "", fmt.Errorf("%w; %s differs in upper and lower case: write both alike", fs.ErrNotExist, Some(cases, 5))
	}
	return "", "", fs.ErrNotExist
}

// A Found is the file that a name means, and how it was found, or why there is none: see Find.
type Found struct {
	Name, File, How string
	Origin          string // of the name, for messages; "" for the name itself
	Err             error
}

// FindAll finds the files of names that stand in one list. See Settle for several of one file.
func (p *Paths) FindAll(names []string, join bool) []Found {
	out := make([]Found, len(names))
	for i, name := range names {
		out[i].Name = name
		out[i].File, out[i].How, out[i].Err = p.Find(name)
	}
	Settle(out, join)
	return out
}

// Settle decides which of several names of one file have it. Names that differ only in how many
// folders they begin with are one name where what they stand for can be joined. Otherwise the
// file's very path has it, and where no name is that, or two are, none has: they fit equally. The
// errors of the others name the candidates.
func Settle(found []Found, join bool) {
	of := map[string][]*Found{}
	for i := range found {
		if f := &found[i]; f.Err == nil {
			of[f.File] = append(of[f.File], f)
		}
	}
	for file, list := range of {
		own := 0 // names that are the very path
		longest := slices.MaxFunc(list, func(a, b *Found) int { return len(a.Name) - len(b.Name) }).clean()
		one := join
		var names []string
		for _, f := range list {
			names = append(names, cmp.Or(f.Origin, f.Name))
			one = one && strings.HasSuffix(longest, f.clean())
			if f.How == "" {
				own++
			}
		}
		for _, f := range list {
			switch {
			case one || len(list) == 1 || f.How == "" && (own == 1 || join):
			case own == 1 || own > 0 && join:
				f.Err = fmt.Errorf("%s, which it may mean, is named by itself", file)
			default:
				f.Err = fmt.Errorf("several names may mean %s: %s: keep one of them", file, Some(names, 5))
			}
		}
	}
}

// clean is the path that a name means, from a slash on.
func (f *Found) clean() string { return "/" + norm.NFC.String(CleanPath(f.Name)) }

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
