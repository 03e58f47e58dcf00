// Package dense gives the arrays of networks for pictures: what the built-in network says of each,
// and a folder with ID.npy of another one.
package dense

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/network"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// Split tells whether a name of arrays is of the built-in network, and which folder it names, ""
// for none.
func Split(name string) (builtIn bool, folder string) {
	if name == network.Name {
		return true, ""
	}
	folder, builtIn = strings.CutPrefix(name, network.Name+"+")
	return builtIn, folder
}

// with adds the built-in network to the arrays of a folder, nil for none.
func with(folder *feature.Dense) *feature.Dense {
	d := &feature.Dense{Digest: network.Digest()}
	if folder != nil {
		*d = *folder
	}
	d.Network = network.Name
	d.Channels += network.Channels
	return d
}

// ofFolder is how many channels come from the files of a folder, 0 if there is none or d is nil.
func ofFolder(d *feature.Dense) int {
	switch {
	case d == nil:
		return 0
	case d.Network != "":
		return d.Channels - network.Channels
	}
	return d.Channels
}

// Folder tells whether d wants files of a folder.
func Folder(d *feature.Dense) bool { return ofFolder(d) > 0 }

// Open looks at the arrays of a folder and its sub-folders, of pictures of any data set: all must
// have the channels of the first, which Read sees to. by says what made them. Sign gives what it
// returns a digest. The name lite0 stands for the built-in network, lite0+DIR for it and a folder.
func Open(dir, by string) (*feature.Dense, error) {
	if dir == network.Name {
		return with(nil), nil
	}
	if builtIn, folder := Split(dir); builtIn && folder == "" {
		return nil, fmt.Errorf("%s: names no folder after the plus sign", dir)
	} else if builtIn {
		d, err := Open(folder, by)
		if err != nil {
			return nil, err
		}
		return with(d), nil
	}
	first := ""
	root := filepath.Clean(dir) + string(filepath.Separator) // a link to a folder is followed
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(name) == ".npy" {
			first, err = name, filepath.SkipAll
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such folder of arrays: the built-in network is named %s", dir, network.Name)
	}
	if err != nil {
		return nil, err
	}
	if first == "" {
		return nil, fmt.Errorf("%s: no array lies there: want ID.npy for each picture", dir)
	}
	a, err := read(first)
	if err != nil {
		return nil, err
	}
	return &feature.Dense{Dir: dir, By: by, Channels: a.Channels}, nil
}

// Sign sets the digest to that of the folder's arrays of a data set's pictures. It reads their
// files; others in the folder change nothing. Without a folder there is nothing to do.
func Sign(ctx context.Context, d *feature.Dense, m *manifests.Manifest, workers int) error {
	if !Folder(d) {
		return nil
	}
	var list strings.Builder
	err := manifests.Each(ctx, workers, len(m.Records), func(_ context.Context, i int) (manifests.Digest, error) {
		return Sum(d, m.Records[i].ID), nil
	}, func(i int, sum manifests.Digest, _ error) error {
		if sum != "" {
			fmt.Fprintf(&list, "%s  %s\n", sum, m.Records[i].ID)
		}
		return nil
	})
	d.Digest = string(manifests.Sum([]byte(list.String())))
	return err
}

// Skip is the reason of a manifests.Skip: the array of a picture is missing or cannot be used.
const Skip = "no_array"

// A SkipError is what is wrong with the array of one picture.
type SkipError struct{ error }

func (e *SkipError) Unwrap() error { return e.error }

// Some returns an error if there are arrays, but none of these pictures.
func Some(d *feature.Dense, ids []string) error {
	if !Folder(d) || len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return has(d, id) }) {
		return nil
	}
	return fmt.Errorf("%s has an array of none of %d pictures: want a file for each, such as %s.npy, not of other pictures", d.Dir,
		len(ids), ids[0])
}

// Check returns an error if d wants files of a folder and names none, or if a model's network is
// not the built-in one.
func Check(d *feature.Dense) error {
	switch {
	case d == nil:
		return nil
	case d.Channels < 1, d.Network != "" && (d.Network != network.Name || d.Channels < network.Channels):
		return fmt.Errorf("the model sees %d channels of the network %q, which this version does not have: use the version that made it",
			d.Channels, d.Network)
	case !Folder(d) && d.Digest != network.Digest():
		return fmt.Errorf("the model was trained with another version of the network %s: train it again", d.Network)
	case !Folder(d) || d.Dir != "":
		return nil
	}
	by := ""
	if d.By != "" {
		by = ", made by " + d.By
	}
	return fmt.Errorf("the model needs the arrays of a network (%d channels%s): name their folder with --dense", ofFolder(d), by)
}

// Read returns the array of an upright picture, nil if d is nil: what the built-in network says of
// it, and beside that its file. It is a *SkipError if the file is missing, is no array of the
// folder's channels, has a value that is not finite, or a grid of another shape than the picture.
func Read(d *feature.Dense, id string, im *raster.RGB) (a *feature.Array, err error) {
	if err := Check(d); err != nil {
		return nil, err
	}
	if Folder(d) {
		if a, err = readFile(d, id, im.Width, im.Height); err != nil {
			return nil, err
		}
	}
	if d == nil || d.Network == "" {
		return a, nil
	}
	said := network.Array(im)
	switch {
	case a == nil:
		return said, nil
	case a.Height*a.Width < said.Height*said.Width: // the finer grid serves both
		return said.With(a), nil
	}
	return said.Resize(a.Height, a.Width).With(a), nil
}

// readFile reads the file of an upright picture of width x height pixels.
func readFile(d *feature.Dense, id string, width, height int) (*feature.Array, error) {
	file := fileOf(d, id)
	a, err := read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s: no such file: want an array for every picture", file)
	case err != nil:
	case a.Channels != ofFolder(d):
		err = fmt.Errorf("%s: got %d channels, want %d, as the first array of the folder or the model has", file, a.Channels, ofFolder(d))
	case !covers(a, width, height):
		err = fmt.Errorf("%s: got a grid of %d x %d cells (width x height) for a picture of %d x %d: want height x width x channels "+
			"of the upright picture", file, a.Width, a.Height, width, height)
	}
	if err != nil {
		return nil, &SkipError{err}
	}
	return a, nil
}

// covers tells whether a grid can be that of a picture: it may be square, but neither lie across it
// nor be three times longer, as where channels stand first.
func covers(a *feature.Array, width, height int) bool {
	if a.Width > a.Height+1 && width < height || a.Width+1 < a.Height && width > height {
		return false
	}
	grid, picture := float64(a.Width)/float64(a.Height), float64(width)/float64(height)
	return grid <= 3*max(picture, 1) && 3*grid >= min(picture, 1)
}

// Missing returns which of some pictures have no file, none if d wants none.
func Missing(d *feature.Dense, ids []string) (out []string) {
	for _, id := range ids {
		if Folder(d) && !has(d, id) {
			out = append(out, id)
		}
	}
	return out
}

func has(d *feature.Dense, id string) bool {
	_, err := os.Stat(fileOf(d, id))
	return err == nil
}

func fileOf(d *feature.Dense, id string) string {
	return filepath.Join(d.Dir, filepath.FromSlash(id)+".npy")
}

// Sum returns the digest of a picture's file, "" if d wants none or it cannot be read.
func Sum(d *feature.Dense, id string) manifests.Digest {
	if !Folder(d) {
		return ""
	}
	sum, err := manifests.SumFile(fileOf(d, id))
	if err != nil {
		return "" // who needs its array says so
	}
	return sum
}

func read(file string) (*feature.Array, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	a, err := feature.ParseArray(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}
