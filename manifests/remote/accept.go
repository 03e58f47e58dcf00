package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hdseg/manifests"
)

// A foreign index may name any path: a pull writes only where data sets keep their files.

// hidden tells whether a part of a path begins with a dot, as the folders of other tools do.
func hidden(p string) bool { return strings.HasPrefix(p, ".") || strings.Contains(p, "/.") }

// acceptHead fails if a manifest or its parts would lie elsewhere than in NAME.yaml and NAME.d/.
func acceptHead(h *head) error {
	if top, _, _ := strings.Cut(h.Name, "/"); hidden(h.Name) || top == "images" || top == "masks" {
		return fmt.Errorf("%q is no name of a manifest: nothing is written", h.Name)
	}
	for _, p := range h.pieces() {
		if path.Dir(p.Path) != h.Name+".d" || hidden(p.Path) {
			return fmt.Errorf("it names the part %q, want one in %s.d: nothing is written", p.Path, h.Name)
		}
	}
	return nil
}

// acceptObjects refuses hidden images and masks; reading has refused those elsewhere.
func acceptObjects(list []File) error {
	for _, o := range list {
		if hidden(o.Path) {
			return fmt.Errorf("it names the file %q, want none that begins with a dot: nothing is written", o.Path)
		}
	}
	return nil
}

// accept fails if a pull would replace what is here and not the data set's own.
func (p *pull) accept(h *head) error {
	index := filepath.Join(p.s.Dir(), filepath.FromSlash(h.Name)+".yaml")
	data, err := readIf(p.s, h.Name+".yaml")
	if err != nil {
		return err
	}
	if err := p.req.Choice.spares(data, index); err != nil || p.req.Replace {
		return err
	}
	if data != nil && manifests.Sum(data) != h.sum {
		if err := mayReplace(data, h.Name, h.Dataset, index); err != nil {
			return err
		}
		if err := p.childless(manifests.Sum(data), index); err != nil {
			return err
		}
	}
	sums := filepath.Join(p.s.Dir(), manifests.SumsFile)
	if data, err = readIf(p.s, manifests.SumsFile); err != nil {
		return err
	}
	if !ownSums(data) {
		return fmt.Errorf("remote: %s: a list is there that hdseg did not write, and would be replaced: move it away, or use "+
			"--replace if that is meant", sums)
	}
	return nil
}

// childless fails if a manifest here that is not pulled was made from the one to be replaced.
func (p *pull) childless(replaced manifests.Digest, where string) error {
	others, err := otherIndexes(p.s, p.req.Names)
	if err != nil {
		return err
	}
	for _, other := range others {
		data, err := p.s.Read(other, "")
		if err != nil {
			return err
		}
		if h, err := parseHead(data); err == nil && h.Parent == replaced {
			return fmt.Errorf("remote: %s: %s was made from it and would lose its parent: pull both together, or into another "+
				"folder, or use --replace if that is meant", where, other)
		}
	}
	return nil
}

// acceptFiles fails if archives would replace files that are not those of the same data set.
func (p *pull) acceptFiles(f Files) error {
	if hidden(f.Index) {
		return fmt.Errorf("remote: %s%s: %q is no folder for archives: nothing is written", p.Bucket, f.Index, path.Dir(f.Index))
	}
	if p.req.Replace {
		return nil
	}
	index := filepath.Join(p.s.Dir(), filepath.FromSlash(f.Index))
	data, err := readIf(p.s, f.Index)
	if err != nil {
		return err
	}
	if data != nil {
		here, there := shardsOf(f.Index, data), shardsOf(f.Index, f.Data)
		if here == nil || there == nil || here.Dataset != there.Dataset {
			return fmt.Errorf("remote: %s: another file, or archives of another data set, are there and would be replaced: pull "+
				"into another folder, or use --replace if that is meant", index)
		}
		return nil
	}
	for _, v := range f.List { // a pull that was killed leaves none that differs
		name := filepath.Join(p.s.Dir(), filepath.FromSlash(v.Path))
		if ok, err := has(name, v.SHA256); err != nil {
			return err
		} else if _, err := os.Lstat(name); !ok && err == nil {
			return fmt.Errorf("remote: %s: another file is there and would be replaced: pull into another folder, or use "+
				"--replace if that is meant", name)
		}
	}
	return nil
}

// ownSums tells whether a list names nothing but what data sets keep, with the lists NAME.*.csv
// beside a manifest NAME.yaml.
func ownSums(data []byte) bool {
	sums, err := manifests.ParseSums(data)
	for name := range sums {
		top, _, _ := strings.Cut(name, "/")
		if top != "images" && top != "masks" && path.Ext(name) != ".yaml" && !listOf(sums, name) {
			return false
		}
	}
	return err == nil
}

// listOf tells whether a name is NAME.*.csv of a manifest that sums lists.
func listOf(sums map[string]manifests.Digest, name string) bool {
	if path.Ext(name) != ".csv" {
		return false
	}
	for index := range sums {
		if set, ok := strings.CutSuffix(index, "yaml"); ok && strings.HasPrefix(name, set) {
			return true
		}
	}
	return false
}

func readIf(s *manifests.Store, p string) ([]byte, error) {
	data, err := s.Read(p, "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("remote: %s: %w", s.Dir(), err)
	}
	return data, nil
}

// regular returns the size of a file and refuses what cannot be read to its end, such as a pipe.
func regular(name string) (size int64, err error) {
	st, err := os.Stat(name)
	if err != nil {
		return 0, fmt.Errorf("remote: %w", err)
	}
	if !st.Mode().IsRegular() {
		return 0, fmt.Errorf("remote: %s: is no regular file (%v)", name, st.Mode().Type())
	}
	return st.Size(), nil
}
