package manifests

import (
	"runtime/debug"
	"sync"
)

// Version is the version of hdseg that manifests, masks and models record. It changes when
// the same input may give other bytes.
const Version = "0.2.0"

// Revision returns the commit that the program was built from, with "+" behind it if files had been changed since; "" where the
// build does not say. It tells apart programs of one Version and is in no bytes that builds of equal input share.
func Revision() string { return built() }

var built = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return revision(info.Settings)
})

func revision(settings []debug.BuildSetting) (r string) {
	changed := ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			r = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if r == "" {
		return ""
	}
	return r + changed
}
