package manifests

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const someSettings = "neighbors: 20\nsteps: [1, 2]\n"

// Settings are kept in a file whose digest is the header's config; manifests without them stay as they are.
func TestSettings(t *testing.T) {
	t.Parallel()
	p := newPlanted(t)
	p.m.Configure([]byte(someSettings))
	if p.m.Config != Sum([]byte(someSettings)) {
		t.Fatalf("config %s", p.m.Config)
	}
	p.write()
	m, digest, err := Read(p.s, "horseseg")
	p.must(err)
	if m.Settings != someSettings || m.Config != p.m.Config {
		t.Errorf("got %q, config %s", m.Settings, m.Config.Short())
	}
	path := "horseseg.d/settings." + m.Config.Short() + ".yaml"
	if data, err := os.ReadFile(p.file(path)); err != nil || string(data) != someSettings {
		t.Errorf("%s: got %q, %v", path, data, err)
	}
	if st, err := StageOf(p.s, "horseseg"); err != nil || st.Settings != path || st.Digest != digest {
		t.Errorf("got %+v, %v", st, err)
	}
	listed, err := p.s.Read(SumsFile, "")
	p.must(err)
	if !strings.Contains(string(listed), string(m.Config)+"  "+path+"\n") {
		t.Errorf("no line for %s in\n%s", path, listed)
	}

	to := testStore(t)
	if copied, err := CopyListed(to, p.s, "horseseg", m); err != nil || copied != digest {
		t.Errorf("copied: got %s, %v, want %s", copied, err, digest)
	}
	if m, _, err := Read(to, "horseseg"); err != nil || m.Settings != someSettings {
		t.Errorf("copied: got %q, %v", m.Settings, err)
	}

	p.m.Configure([]byte("other: 1\n")) // the file of before goes
	p.write()
	if _, err := os.Stat(p.file("horseseg.d") + "/settings." + Sum([]byte(someSettings)).Short() + ".yaml"); !os.IsNotExist(err) {
		t.Errorf("the settings of before are still there: %v", err)
	}
	p.m.Config = sum(1)
	if _, err := Write(p.s, "horseseg", p.m); err == nil || !strings.Contains(err.Error(), "as in config") {
		t.Errorf("settings of another config: got %v", err)
	}
	p.m.Config, p.m.Settings = sum(1), ""
	p.write()
	if data, err := p.s.Read("horseseg.yaml", ""); err != nil || strings.Contains(string(data), "settings") {
		t.Errorf("without settings: %v\n%s", err, data)
	}
}

func TestCheckSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edit func(p *planted, file string)
		want []string
	}{
		{"nothing", func(*planted, string) {}, nil},
		{"changed", func(p *planted, file string) { p.flip(file) }, []string{" part_digest"}},
		{"missing", func(p *planted, file string) { p.must(os.Remove(p.file(file))) }, []string{" part"}},
		{"of another config", func(p *planted, file string) {
			data := []byte("other: 1\n")
			p.must(os.WriteFile(p.file(file), data, 0o666))
			p.edited("horseseg.yaml", `records: 1, sha256: "`+string(p.m.Config), `records: 1, sha256: "`+string(Sum(data)), false)
			p.relist()
		}, []string{" value"}},
	} {
		p := newPlanted(t)
		p.m.Configure([]byte(someSettings))
		p.write()
		c.edit(p, "horseseg.d/settings."+p.m.Config.Short()+".yaml")
		faults, err := Check(t.Context(), p.s, "horseseg", pngHooks(false))
		p.must(err)
		var got []string
		for _, f := range faults {
			got = append(got, f.Record+" "+f.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v: %v", c.name, got, c.want, faults)
		}
	}
}
