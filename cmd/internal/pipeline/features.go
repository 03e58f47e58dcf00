package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/cache"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// A place is where a feature cache lies in a data set, and the vocabulary that it was made with.
type place struct {
	dir, vocabulary string
	shard           Shard // the records that it holds
}

// built is the place of the build and of the features stage. aside holds those of the last other
// setting that was tried, so that trying settings changes nothing that a build made.
var (
	built = place{"features", "vocabulary/words.bin", Shard{}}
	aside = place{".work/features", ".work/vocabulary/words.bin", Shard{}}
)

// Features are the features of a data set and what they were made with.
type Features struct {
	*cache.Cache
	Store *manifests.Store // that holds the cache, and leads to the pictures
	Dir   string           // store path of the cache
	Setup lscrf.Setup      // with the vocabulary, if the feature set has one
	Skips []manifests.Skip
	// that computing them took; 0 for features that were there
	Seconds float64

	release func() // of the store; nil for what a build opens
}

// MakeFeatures opens the feature cache of a manifest, and makes one beside the build's, after
// learning the vocabulary, if it is missing or of other settings. Where the data set may only be
// read it lies in the user's cache folder. A shard's has a place of its own; its vocabulary is that
// of the whole training split, which every shard learns alike. No build works in the store until
// they are closed.
func MakeFeatures(ctx context.Context, shard Shard, e *configs.Experiment, set *Dataset, workers int, progress Phases) (f *Features,
	err error) {
	release, err := manifests.Join(set.Store.Dir())
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			release()
		} else {
			f.release = release
		}
	}()
	p := shard.place()
	part := p.shard.Cut(set.Manifest)
	if err := unchanged(ctx, set.Store, part, workers, progress); err != nil {
		return nil, err
	}
	next, err := turn(ctx, set.Store, progress)
	if err != nil {
		return nil, err
	}
	defer next()
	f, err = p.open(e, set)
	if err != nil && shard.Of == 0 {
		f, err = OpenFeatures(e, set)
	}
	if err == nil && f.usable(part) {
		return f, nil
	}
	if manifests.CheckFile(filepath.Join(set.Store.Dir(), filepath.FromSlash(p.dir), "index")) != nil {
		store, err := cacheStore(set.Store.Dir())
		if err != nil {
			return nil, fmt.Errorf("%s: features need a folder that can be written: neither this one can be, nor your cache folder: %w: "+
				"make one of them writable, or name another in XDG_CACHE_HOME", set.Store.Dir(), err)
		}
		set = &Dataset{store, set.Name, set.Manifest, set.Digest}
		next, err := turn(ctx, store, progress)
		if err != nil {
			return nil, err
		}
		defer next()
		if f, err = p.open(e, set); err == nil && f.usable(part) {
			return f, nil
		}
	} else if errors.Is(err, cache.ErrDamaged) {
		// else others are made aside, and nobody hears of it
		return nil, err
	}
	f, err = p.compute(ctx, e, set, workers, progress)
	if err == nil {
		if err = whole(f.Skips); err != nil {
			f.Close()
		}
	}
	return f, err
}

// turn waits until no other command opens or makes features in a store. Later ones may make others:
// those that are open stay as they are.
func turn(ctx context.Context, s *manifests.Store, progress Phases) (next func(), err error) {
	dir := filepath.Join(s.Dir(), ".work")
	err = os.MkdirAll(dir, 0o777)
	for told := false; err == nil; told = true {
		next, err = manifests.TryLock(filepath.Join(dir, "features.lock"))
		locked := new(manifests.LockedError)
		if !errors.As(err, &locked) {
			break
		}
		if !told {
			progress("waiting for features that " + locked.Owner + " makes")
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(50 * time.Millisecond):
			err = nil
		}
	}
	if manifests.ReadOnly(err) {
		return func() {}, nil
	}
	return next, err
}

// Close closes the cache and lets builds work in the store.
func (f *Features) Close() error {
	if f.release != nil {
		f.release()
		f.release = nil
	}
	return f.Cache.Close()
}

// Verify compares all bytes of the features with what was written.
func (f *Features) Verify() error {
	bad := cache.Check(f.Store, f.Dir)
	if len(bad) == 0 || errors.Is(bad[0], cache.ErrDamaged) {
		return errors.Join(bad[:min(1, len(bad))]...)
	}
	return fmt.Errorf("%w: %w", bad[0], cache.ErrDamaged)
}

// unchanged refuses a data set whose pictures or masks are not what the manifest says. Features of
// the others alone would make other models and tables, and the next command would not tell why.
// Only files that were touched since they were looked at are read; a damaged disk is found by
// manifests.Check, which reads all.
func unchanged(ctx context.Context, s *manifests.Store, m *manifests.Manifest, workers int, progress Phases) error {
	show := progress("looking for changes in pictures and masks")
	bad, err := openWitness(s, "files").changed(ctx, s, filesOf(m), workers, show)
	if err == nil && len(bad) > 0 {
		err = fmt.Errorf("pictures or masks that are missing or changed: %d (%s): run hdseg check with the same manifest: it lists them all and "+
			"says what mends them", len(bad), format.Some(bad, 3))
	}
	return err
}

// usable tells whether the features are of all records: some could not be read when they were made.
// Others are closed.
func (f *Features) usable(m *manifests.Manifest) bool {
	masked := 0
	for i := range m.Records {
		masked += min(1, len(m.Records[i].Masks))
	}
	if f.Len() == masked {
		return true
	}
	f.Close()
	return false
}

// cacheStore is a store in the user's cache folder for a data set that may only be read: it leads
// to the same pictures and masks.
func cacheStore(set string) (*manifests.Store, error) {
	base, err := os.UserCacheDir()
	if err == nil {
		set, err = filepath.Abs(set)
	}
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(base, "hdseg", filepath.Base(set)+"-"+manifests.Sum([]byte(set)).Short())
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, top := range []string{"images", "masks"} {
		if err := os.Symlink(filepath.Join(set, top), filepath.Join(dir, top)); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return manifests.OpenStore(dir)
}

// compute makes the feature cache, whatever is there.
func (p place) compute(ctx context.Context, e *configs.Experiment, set *Dataset, workers int, progress Phases) (*Features, error) {
	if err := manifests.CheckFile(filepath.Join(set.Store.Dir(), filepath.FromSlash(p.dir), "index")); err != nil {
		return nil, err
	}
	setup, err := p.learn(ctx, e, set, workers, progress)
	if err != nil {
		return nil, err
	}
	return p.extract(ctx, e, set, setup, workers, progress)
}

// learn makes the vocabulary of the features, if they have one, and stores it.
func (p place) learn(ctx context.Context, e *configs.Experiment, set *Dataset, workers int, progress Phases) (lscrf.Setup, error) {
	setup := e.Setup()
	if err := os.RemoveAll(filepath.Join(set.Store.Dir(), path.Dir(p.vocabulary))); err != nil || !setup.Feature.NeedsVocabulary() {
		return setup, err
	}
	v, err := lscrf.LearnVocabulary(ctx, set.Manifest, set.Store, setup.Feature, e.Seed, workers,
		progress("learning the vocabulary of features"))
	if err != nil {
		return setup, err
	}
	data, err := v.MarshalBinary()
	if err != nil {
		return setup, err
	}
	setup.Feature.Vocabulary = v
	return setup, set.Store.Replace(p.vocabulary, data)
}

// extract computes the features of the records of a place.
func (p place) extract(ctx context.Context, e *configs.Experiment, set *Dataset, setup lscrf.Setup, workers int,
	progress Phases) (*Features, error) {
	key, err := p.key(set.Digest, e, setup)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	_, skips, err := lscrf.Extract(ctx, p.shard.Cut(set.Manifest), set.Store, setup, p.dir, key, workers,
		progress("cutting pictures into superpixels"))
	if err != nil {
		return nil, err
	}
	f, err := p.openKey(key, set, setup)
	if err == nil {
		f.Skips, f.Seconds = skips, time.Since(started).Seconds()
	}
	return f, err
}

// OpenFeatures opens the feature cache of a manifest, if there is one with these settings.
func OpenFeatures(e *configs.Experiment, set *Dataset) (*Features, error) {
	f, err := built.open(e, set)
	if err != nil {
		if f, other := aside.open(e, set); other == nil {
			return f, nil
		}
	}
	return f, err
}

func (p place) open(e *configs.Experiment, set *Dataset) (*Features, error) {
	setup, err := p.setup(e, set.Store)
	if err != nil {
		return nil, err
	}
	key, err := p.key(set.Digest, e, setup)
	if err != nil {
		return nil, err
	}
	return p.openKey(key, set, setup)
}

func (p place) openKey(key manifests.Digest, set *Dataset, setup lscrf.Setup) (*Features, error) {
	c, err := cache.Open(set.Store, p.dir)
	if err != nil {
		return nil, err
	}
	if c.Key != key {
		c.Close()
		return nil, errors.New("the feature cache is of other settings")
	}
	return &Features{Cache: c, Store: set.Store, Dir: p.dir, Setup: setup}, nil
}

// setup returns the setup with the vocabulary that is stored.
func (p place) setup(e *configs.Experiment, store *manifests.Store) (lscrf.Setup, error) {
	setup := e.Setup()
	if !setup.Feature.NeedsVocabulary() {
		return setup, nil
	}
	data, err := store.Read(p.vocabulary, "")
	if err != nil {
		return setup, err
	}
	setup.Feature.Vocabulary = new(feature.Vocabulary)
	return setup, setup.Feature.Vocabulary.UnmarshalBinary(data)
}

// key names everything that a cache depends on.
func (p place) key(digest manifests.Digest, e *configs.Experiment, setup lscrf.Setup) (manifests.Digest, error) {
	all := []any{digest, e.Setup()}
	if v := setup.Feature.Vocabulary; v != nil {
		d, err := v.Digest()
		if err != nil {
			return "", err
		}
		all = append(all, d, e.Seed)
	}
	if p.shard.Of > 0 {
		all = append(all, p.shard)
	}
	return configs.Digest(all...), nil
}

// made is what a stage did that made the features.
func (f *Features) made(outputs ...string) made {
	return made{Read: f.Len() + len(f.Skips), Done: f.Len(), Skips: f.Skips, Outputs: outputs}
}

// outputs returns the store paths that the features stage made.
func (f *Features) outputs() []string {
	out := []string{cache.IndexPath(built.dir)}
	if f.Setup.Feature.Vocabulary != nil {
		out = append(out, built.vocabulary)
	}
	return out
}
