// Package configs describes an experiment: which data set, and the options of every stage that
// builds and measures it. The experiments of the paper are embedded.
package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"hdseg/ingest"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/transfer"
)

// An Experiment holds one field per package's Options. A dotted path such as
// transfer.neighbors names the same setting in YAML, on the command line and here.
type Experiment struct {
	// The name of the data set and its manifest: letters, digits, - and _.
	Dataset string `yaml:"dataset"`
	Class   Class  `yaml:"class"`
	// The names of the labels of scenes; none: figure and ground.
	Labels []string `yaml:"labels"`
	// Draws folds, orders and resamples; another shows what is luck. Trees have a seed of their own
	// (train.trees.seed). Default 0.
	Seed uint64 `yaml:"seed"`
	// The share of manual masks held out for measuring, 0 to below 1; more: surer scores. It counts
	// where the sources have no test pictures; near duplicates stay together. More leaves less to
	// train on. Default 0: none.
	TestShare  float64            `yaml:"testShare,omitempty"`
	Ingest     ingest.Options     `yaml:"ingest"`
	Transfer   transfer.Options   `yaml:"transfer"`
	Superpixel superpixel.Options `yaml:"superpixel"`
	Feature    feature.Options    `yaml:"feature"`
	Train      lscrf.TrainOptions `yaml:"train"`
	Bench      bench.Options      `yaml:"bench"`
	Dense      Dense              `yaml:"dense,omitempty"`
}

// Dense leads to the arrays of a network. OpenDense puts what they are into Feature.Dense; nothing
// that is kept names the folder.
type Dense struct {
	// What a network says of each picture: lite0, the built-in EfficientNet-Lite0; a folder of arrays
	// of another, ID.npy for each picture; lite0+FOLDER; or none. Arrays are height x width x
	// channels, a grid of any size that covers the picture, float16 or float32. Their means over
	// superpixels become features. Default none; by the preset network, which holds unless another
	// is named, lite0.
	Dir string `yaml:"dir,omitempty"`
	// What made the arrays, for provenance. An example: "DINOv2 ViT-S/14, last layer".
	By string `yaml:"by,omitempty"`
}

// OpenDense looks at the arrays that Dense leads to, if any. From then on Feature.Dense, which
// Transfer shares, says what they are; dense.Sign gives it the digest once the pictures are known.
func (e *Experiment) OpenDense() (err error) {
	if e.Dense.Sees() {
		if e.Feature.Dense, err = dense.Open(e.Dense.Dir, e.Dense.By); err != nil {
			return fmt.Errorf("dense: %w", err)
		}
	}
	e.Transfer.Dense, e.Dense = e.Feature.Dense, Dense{}
	return nil
}

// None is the Dir of a Dense without arrays.
const None = "none"

// Sees tells whether there are arrays.
func (d Dense) Sees() bool { return d.Dir != "" && d.Dir != None }

// A Class is the figure of the data set.
type Class struct {
	// The category that is figure, such as horse.
	Name string `yaml:"name"`
	// Its number in VOC masks, 1 to 254; 0: no VOC images. VOC itself has 1 to 20.
	VOC int `yaml:"voc"`
	// The WordNet ids of its ImageNet images, such as n02374451.
	Synsets []string `yaml:"synsets"`
}

// Setup returns how pictures become graphs.
func (e *Experiment) Setup() lscrf.Setup {
	return lscrf.Setup{Superpixel: e.Superpixel, Feature: e.Feature}
}

// ManifestClass returns the class as manifests record it.
func (e *Experiment) ManifestClass() manifests.Class {
	return manifests.Class{Name: e.Class.Name, VOC: e.Class.VOC, Synsets: e.Class.Synsets}
}

//go:embed *.yaml
var embedded embed.FS

// defaults returns every package's own defaults.
func defaults() *Experiment {
	return &Experiment{
		Ingest:     ingest.Defaults(),
		Transfer:   transfer.Defaults(),
		Superpixel: superpixel.Defaults(),
		Feature:    feature.Defaults(),
		Train:      lscrf.TrainDefaults(),
		Bench:      bench.Defaults(),
		Dense:      Dense{Dir: None},
	}
}

// Load reads an experiment: a YAML file, or the name of an embedded one (horseseg, dogseg,
// stanford, with or without a folder and .yaml, if there is no such file; a folder of that name
// does not count). sets are path=value changes. What is not named keeps its default; what is
// unknown, repeated (in sets, with another value) or out of range is an error that says where.
func Load(name string, sets ...string) (*Experiment, error) { return Preset{}.Load(name, sets...) }

// Load is as the function Load, but what is not named is as the preset has it.
func (p Preset) Load(name string, sets ...string) (*Experiment, error) {
	data, err := os.ReadFile(name)
	st, e1 := os.Stat(name)
	folder := e1 == nil && st.IsDir() // one that has the name of an embedded experiment is not meant
	inner, e2 := embedded.ReadFile(strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".yaml") + ".yaml")
	if absent := errors.Is(err, os.ErrNotExist); absent || folder && e2 == nil {
		if data = inner; e2 != nil {
			beside, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.yaml")) // none for a bad pattern
			return nil, fmt.Errorf("-c %s: no such file or folder, and the built-in configs are %s%s", name,
				strings.Join(Names(), ", "), Meant(name, append(Names(), beside...)))
		}
	} else if folder {
		return nil, fmt.Errorf("config %s: is a folder, want a YAML file of settings", name)
	} else if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	e := defaults()
	for _, own := range []string{p.yaml, p.with} {
		if err := decode([]byte(own), e, true); err != nil {
			panic(fmt.Sprintf("configs: preset %s: %v", p.Name, err))
		}
	}
	if err := decode(data, e, true); err != nil {
		return nil, fmt.Errorf("config %s: %w", name, err)
	}
	inFile := e.Validate()
	before := map[string]string{}
	for _, s := range sets {
		if err := e.Set(s); err != nil {
			return nil, err
		}
		path, value, _ := strings.Cut(s, "=")
		if was, ok := before[path]; ok && was != value {
			return nil, fmt.Errorf("--set %s: %s was set to %s before: set it once", s, path, was)
		}
		before[path] = value
	}
	err = e.Validate()
	switch {
	case err != nil && inFile != nil:
		return nil, fmt.Errorf("config %s: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("--set: %w", err)
	case e.Dense.Sees() && p.with == "":
		return p.WithArrays().Load(name, sets...)
	}
	return e, nil
}

// Recorded reads the settings that a result holds, "" if it holds none: what another version has
// and this one has not is passed over, what is not named has its default, and what is out of range
// is an error.
func Recorded(text string) (*Experiment, error) {
	e := defaults()
	e.Dense = Dense{} // Feature.Dense says what it led to
	if text == "" {
		return e, nil
	}
	if err := yaml.Unmarshal([]byte(text), e); err != nil {
		return nil, err
	}
	return e, e.Validate()
}

// Names returns the embedded experiments.
func Names() []string {
	entries, err := embedded.ReadDir(".")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Set changes one setting: "transfer.neighbors=20". The value is YAML.
func (e *Experiment) Set(assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return fmt.Errorf("--set %q: want path=value", assignment)
	}
	// YAML would take no value for "as it was", without a word.
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(value), &n); err == nil && (len(n.Content) == 0 || n.Content[0].Tag == "!!null") {
		return fmt.Errorf("--set %q: the value is missing; an empty text is \"\", an empty list []", assignment)
	}
	// The assignment as a document of nested keys, read by the same strict reader as a file.
	var doc strings.Builder
	keys := strings.Split(path, ".")
	for i, k := range keys {
		fmt.Fprintf(&doc, "%s%q:", strings.Repeat(" ", i), k)
		if i < len(keys)-1 {
			doc.WriteByte('\n')
		}
	}
	doc.WriteString(" " + value + "\n")
	if err := decode([]byte(doc.String()), e, false); err != nil {
		return fmt.Errorf("--set %s: %w", assignment, err)
	}
	return nil
}

// decode reads one strict YAML document onto e; lines says whether errors name lines.
func decode(data []byte, e *Experiment, lines bool) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil // an empty file names nothing
	} else if err != nil {
		return fmt.Errorf("want YAML: %w", err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("want one YAML document")
	}
	if err := faultsOf(&doc, lines); err != nil {
		return err
	}
	return doc.Decode(e)
}

// Validate returns all faults of e.
func (e *Experiment) Validate() error {
	var errs []error
	c := newChecker()
	for _, f := range []struct {
		name string
		err  error
	}{
		{"dataset", validName(e.Dataset)},
		{"class", e.validClass()},
		{"labels", e.validLabels()},
		{"testShare", ingest.SplitOptions{TestShare: e.TestShare}.Validate()},
		{"ingest", e.Ingest.Validate()},
		{"transfer", e.Transfer.Validate()},
		{"superpixel", e.Superpixel.Validate()},
		{"feature", e.Feature.Validate()},
		{"train", e.Train.Validate()},
		{"bench", e.Bench.Validate()},
	} {
		if f.err == nil {
			continue
		}
		for line := range strings.SplitSeq(f.err.Error(), "\n") {
			errs = append(errs, errors.New(c.named(f.name, line)))
		}
	}
	return errors.Join(errs...)
}

func validName(s string) error {
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if s == "" || strings.ContainsFunc(s, bad) {
		return fmt.Errorf("got %q, want letters, digits, '-' and '_'", s)
	}
	return nil
}

// validClass: scenes have labels and no class, everything else a class.
func (e *Experiment) validClass() error {
	var errs []error
	if e.Class.Name == "" && len(e.Labels) == 0 {
		errs = append(errs, errors.New("name: got none"))
	}
	if v := e.Class.VOC; v < 0 || v > 254 {
		errs = append(errs, fmt.Errorf("voc: got %d, want a class index 0..254 (0: no VOC images)", v))
	}
	return errors.Join(errs...)
}

func (e *Experiment) validLabels() error {
	seen := map[string]bool{}
	for i, l := range e.Labels {
		if l == "" || seen[l] {
			return fmt.Errorf("label %d: got %q, want a name that no other has", i, l)
		}
		seen[l] = true
	}
	if n := len(e.Labels); n == 1 || n > lscrf.MaxLabels {
		return fmt.Errorf("got %d, want none or 2..%d", n, lscrf.MaxLabels)
	}
	return nil
}

// Digest returns the digest of some options in their canonical YAML.
func Digest(options ...any) manifests.Digest { return manifests.Sum(Canonical(options...)) }

// Canonical returns some options as YAML: equal options, equal bytes. See
// manifests.Header.Configure.
func Canonical(options ...any) []byte { return YAML(options) }

// YAML returns settings as YAML.
func YAML(settings any) []byte {
	data, err := yaml.Marshal(settings)
	if err != nil {
		panic(fmt.Sprintf("configs: options that YAML cannot hold: %v", err))
	}
	return data
}
