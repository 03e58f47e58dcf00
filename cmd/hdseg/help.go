package main

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/manifests"
)

// helpWidth is the width of help on a terminal, in columns.
const helpWidth = 80

// withHelp gives all commands help of helpWidth columns, topics, man pages and completion.
func withHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(helpWidth) })
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags | wrapped"))
	root.SetHelpCommand(helpCommand(root))
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.Long, cmd.Example = wrap(cmd.Long, helpWidth), wrapCommands(cmd.Example, helpWidth)
		complete(cmd)
	})
}

func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, f)
	}
}

// wrap breaks paragraphs at a width; lines that begin with a space stay as they are, and two spaces
// at a line's end keep the break, as in Markdown.
func wrap(text string, width int) string {
	var out []string
	used := 0 // columns of the last line, 0 if no word may be added to it
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == ' ' {
			out, used = append(out, line), 0
			continue
		}
		if strings.HasPrefix(line, "- ") {
			used = 0 // an item of a list
		}
		for _, word := range strings.Fields(line) {
			n := len([]rune(word))
			if used > 0 && used+1+n <= width {
				out[len(out)-1] += " " + word
				used += 1 + n
			} else {
				out, used = append(out, word), n
			}
		}
		if strings.HasSuffix(line, "  ") {
			used = 0
		}
	}
	return strings.Join(out, "\n")
}

// wrapCommands breaks commands before flags, as a shell reads on after a backslash.
func wrapCommands(text string, width int) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for len([]rune(line)) > width {
			at := strings.LastIndex(line[:width+1], " --") // " \\" follows
			if at <= 6 {
				break
			}
			out, line = append(out, line[:at]+" \\"), "     "+line[at:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

//go:embed JSON.md
var jsonFields string

// topics are the pages that help prints beside the commands.
var topics = map[string]struct{ short, text string }{
	"settings": {"All settings of a config and of --set", configs.Page},
	"json":     {"The fields of what --json prints", jsonFields},
}

func helpCommand(root *cobra.Command) *cobra.Command {
	man := ""
	cmd := &cobra.Command{
		Use: "help [COMMAND | TOPIC]", Short: "Help about a command or a topic, and man pages",
		Long: "help prints the help of a command, or one of these topics:\n\n",
		Example: `  hdseg help train
  hdseg help settings
  hdseg help --man man1`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
			at, _, _ := root.Find(args)
			for _, c := range at.Commands() {
				out = append(out, c.Name())
			}
			if len(args) == 0 {
				out = append(out, slices.Collect(maps.Keys(topics))...)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if man != "" {
				return manPages(root, man)
			}
			if len(args) == 1 {
				if topic, ok := topics[args[0]]; ok {
					_, err := fmt.Fprintln(cmd.OutOrStdout(), wrap(topic.text, helpWidth))
					return err
				}
			}
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("hdseg help: no command or topic is called %q", strings.Join(args, " "))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		cmd.Long += fmt.Sprintf("  %-10s %s\n", name, topics[name].short)
	}
	cmd.Flags().StringVar(&man, "man", "", "write a man page of every command into this `folder`")
	return cmd
}

// manPages writes hdseg.1, hdseg-train.1 and so on.
func manPages(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root.DisableAutoGenTag = true // equal bytes on every day
	eachCommand(root, func(cmd *cobra.Command) { cmd.InitDefaultHelpFlag() })
	header := &doc.GenManHeader{Title: "HDSEG", Section: "1", Source: "hdseg " + manifests.Version, Manual: "hdseg"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "hdseg*.1"))
	if err == nil {
		_, err = fmt.Fprintf(root.OutOrStdout(), "%d man pages in %s: man -l %s\n", len(pages), dir, filepath.Join(dir, "hdseg.1"))
	}
	return err
}

// values are what flags of these names take, for completion in a shell.
var values = map[string][]string{
	"progress": {"auto", "bar", "text", "none"},
	"tiers":    {"manual", "bbox", "label", "manual,bbox", "manual,bbox,label", "external:"},
	"tier":     {"manual", "bbox", "label", "external:"},
	"splits":   {"train", "test"},
	"split":    {"train", "test"},
	"round":    {"bbox", "label"},
	"terms":    {lscrf.Unary, lscrf.Pairwise},
	"balance":  {"paper", "none"},
	"object":   {"union", "largest", "all"},
	"class":    {"horse", "dog"},
	"preset":   {"paper", "fast", "best"},
}

// complete says what the flags and arguments of a command take.
func complete(cmd *cobra.Command) {
	fixed := func(flag string, list []string) {
		if cmd.LocalFlags().Lookup(flag) != nil {
			mustComplete(cmd, flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for flag, list := range values {
		fixed(flag, list)
	}
	if f := cmd.LocalFlags().Lookup("format"); f != nil { // its text lists them: a | b
		fixed("format", strings.Split(f.Usage, " | "))
	}
	if f := cmd.LocalFlags().Lookup("model"); f != nil && strings.Contains(f.Usage, lscrf.Linear) {
		fixed("model", lscrf.Kinds())
	}
	if cmd.LocalFlags().Lookup("set") != nil {
		mustComplete(cmd, "set", func(*cobra.Command, []string, string) (paths []string, _ cobra.ShellCompDirective) {
			for _, s := range configs.Settings() {
				paths = append(paths, s.Path+"=")
			}
			return paths, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		})
		mustComplete(cmd, "config", cobra.FixedCompletions(configs.Names(), cobra.ShellCompDirectiveDefault))
	}
	if cmd.LocalFlags().Lookup("in") != nil {
		yaml := cobra.FixedCompletions([]string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt)
		cmd.ValidArgsFunction = yaml
		mustComplete(cmd, "in", yaml)
	}
}

// mustComplete registers the values of a flag that the command has.
func mustComplete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the program asks for it twice
	}
}
