package web

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

//go:embed keys.yaml
var defaultKeys []byte

// Keys are a keyboard map: scope (queue or editor), action, keys.
type Keys map[string]map[string][]string

// DefaultKeys returns the built-in map, and DefaultKeysFile its text with comments, to begin a file
// of one's own.
func DefaultKeys() Keys {
	k, err := readKeys(defaultKeys)
	if err != nil {
		panic(err)
	}
	return k
}

// DefaultKeysFile is the built-in map as a file.
func DefaultKeysFile() []byte { return slices.Clone(defaultKeys) }

// ParseKeys returns the built-in map with the actions that a file names changed. Unknown scopes and
// actions, malformed keys, keys that browsers keep to themselves and a key with two meanings in one
// scope are errors.
func ParseKeys(data []byte) (Keys, error) {
	changes, err := readKeys(data)
	if err != nil {
		return nil, err
	}
	keys := DefaultKeys()
	var errs []error
	for scope, actions := range changes {
		if keys[scope] == nil {
			errs = append(errs, fmt.Errorf("keys: scope %q: want queue or editor", scope))
			continue
		}
		for action, list := range actions {
			if _, ok := keys[scope][action]; !ok {
				errs = append(errs, fmt.Errorf("keys: %s: there is no action %q", scope, action))
				continue
			}
			keys[scope][action] = list
		}
	}
	return keys, errors.Join(append(errs, keys.check())...)
}

// viewing returns the keys that mean something where nothing can be changed.
func (k Keys) viewing() Keys {
	out := Keys{"queue": k["queue"], "editor": {}}
	for _, action := range []string{"next", "previous", "queue", "help", "contour", "sideBySide", "take", "lessOverlay", "moreOverlay",
		"hideOverlay", "zoomIn", "zoomOut", "fit", "panLeft", "panRight", "panUp", "panDown"} {
		out["editor"][action] = k["editor"][action]
	}
	return out
}

func readKeys(data []byte) (Keys, error) {
	k := Keys{}
	if err := yaml.Unmarshal(data, &k); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return k, nil
}

// reserved are combinations that browsers do not hand to a page.
var reserved = []string{"Ctrl+w", "Ctrl+t", "Ctrl+n", "Ctrl+Shift+N", "Ctrl+Shift+T", "Ctrl+Shift+W", "Ctrl+q", "Ctrl+Tab",
	"Alt+F4", "F11", "F12"}

var named = []string{"Enter", "Escape", "Backspace", "Delete", "Space", "Tab", "Home", "End", "PageUp", "PageDown", "Insert",
	"ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10"}

func (k Keys) check() error {
	var errs []error
	for scope, actions := range k {
		owner := map[string]string{}
		for action, list := range actions {
			for _, key := range list {
				if err := checkKey(key); err != nil {
					errs = append(errs, fmt.Errorf("keys: %s.%s: %w", scope, action, err))
				}
				if other, ok := owner[key]; ok {
					errs = append(errs, fmt.Errorf("keys: %s: %s means both %s and %s", scope, key, min(action, other), max(action, other)))
				}
				owner[key] = action
			}
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

func checkKey(key string) error {
	if slices.Contains(reserved, key) {
		return fmt.Errorf("key %q: browsers keep it to themselves", key)
	}
	base := key
	if letter := key[strings.LastIndex(key, "+")+1:]; utf8.RuneCountInString(letter) == 1 &&
		strings.ToLower(letter) != strings.ToUpper(letter) {
		if strings.Contains(key, "Shift+") != (letter == strings.ToUpper(letter)) {
			return fmt.Errorf("key %q: can never be pressed: want a small letter, or a capital after Shift+", key)
		}
	}
	for _, m := range []string{"Ctrl+", "Alt+", "Shift+"} {
		base = strings.TrimPrefix(base, m)
	}
	if utf8.RuneCountInString(base) != 1 && !slices.Contains(named, base) {
		return fmt.Errorf("key %q: want a character or a name such as Enter, after Ctrl+, Alt+ and Shift+ in this order", key)
	}
	return nil
}
