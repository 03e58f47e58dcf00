package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"hdseg/manifests"
)

// A Kept is a lscrf.Keeper that keeps each model in a file of a folder until the table is done.
type Kept struct {
	mu     sync.Mutex
	dir    string
	temp   string // where models are written before they get their names
	warn   func(line string)
	names  map[string]bool // of the models of this process: whether their file is there
	failed bool
}

// NewKept keeps models in a folder, which is there while it holds some, and removes what a killed
// process left there half written. warn is told once if they cannot be written.
func NewKept(dir string, warn func(line string)) *Kept {
	k := &Kept{dir: dir, temp: filepath.Join(dir, ".tmp"), warn: warn, names: map[string]bool{}}
	if _, err := os.Stat(k.temp); err == nil {
		_, _ = manifests.OpenStore(dir) // Save says what is wrong
	}
	return k
}

// StoreKept keeps models in the work folder of a data set.
func StoreKept(store *manifests.Store, warn func(line string)) *Kept {
	k := NewKept(filepath.Join(store.Dir(), ".work", "models"), warn)
	k.temp = filepath.Join(store.Dir(), ".tmp")
	return k
}

func (k *Kept) name(key string) string { return filepath.Join(k.dir, key+".model") }

// Load returns the model of a key, nil if there is none that can be read.
func (k *Kept) Load(key string) []byte {
	data, err := os.ReadFile(k.name(key))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.names[key] = err == nil
	return data
}

// Save writes a model.
func (k *Kept) Save(key string, model []byte) {
	err := manifests.WriteFile(k.name(key), k.temp, model)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.names[key] = true
	} else if !k.failed {
		k.failed = true
		k.warn(fmt.Sprintf("%s: cannot be written, so an interruption loses finished models: %v", k.dir, err))
	}
}

// Any tells whether any model of this process is kept.
func (k *Kept) Any() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, there := range k.names {
		if there {
			return true
		}
	}
	return false
}

// Remove deletes the models of this process, whose table is written.
func (k *Kept) Remove() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.names {
		if err := os.Remove(k.name(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if filepath.Dir(k.temp) == k.dir {
		_ = os.Remove(k.temp)
	}
	_ = os.Remove(k.dir) // unless others are in it
	return nil
}
