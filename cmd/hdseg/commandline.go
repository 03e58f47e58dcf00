package main

import (
	"os"
	"strings"
)

// commandLine returns the command that runs, as a shell takes it: a report keeps it to be run again.
func commandLine() string {
	out := []string{"hdseg"}
	for _, a := range os.Args[1:] {
		out = append(out, quoted(a))
	}
	return strings.Join(out, " ")
}

// quoted returns an argument as a shell takes it.
func quoted(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./,=:@%+", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
