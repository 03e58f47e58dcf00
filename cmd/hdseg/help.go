package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/manifests"
)

// helpWidth is the width of help on a terminal, in columns.
const helpWidth = 80

// withHelp gives all commands help of helpWidth columns, topics, man pages and completion.
func (a *app) withHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string { return f.FlagUsagesWrapped(helpWidth) })
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags | wrapped"))
	root.SetHelpCommand(a.helpCommand(root))
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.Long, cmd.Example = wrap(cmd.Long, helpWidth), wrapCommands(cmd.Example, helpWidth)
		a.complete(cmd)
	})
}

func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, f)
	}
}

// wrap breaks paragraphs at a width; lines that begin with a space stay as they are.
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

// readable turns a page of Markdown into text for a terminal: headings with a line beneath, and no
// marks of code.
func readable(page string) string {
	var out []string
	block := false // within a block of code
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			block = !block
		case block:
			out = append(out, line)
		case strings.HasPrefix(line, "#"):
			title := strings.TrimLeft(line, "# ")
			out = append(out, title, strings.Repeat("-", len(title)))
		default:
			out = append(out, wrap(strings.ReplaceAll(line, "`", ""), helpWidth))
		}
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

func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
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
				if c.IsAvailableCommand() {
					out = append(out, c.Name())
				}
			}
			if len(args) == 0 {
				out = append(out, slices.Collect(maps.Keys(topics))...)
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(a.args, "--json") {
				return usagef("hdseg help: prints text alone: leave out --json; hdseg help json lists what other commands print with it")
			}
			if man != "" {
				return manPages(root, man)
			}
			if len(args) == 1 {
				if topic, ok := topics[args[0]]; ok {
					_, err := fmt.Fprintln(cmd.OutOrStdout(), readable(topic.text))
					return err
				}
			}
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				names := slices.Collect(maps.Keys(topics))
				for _, c := range root.Commands() {
					names = append(names, c.Name())
				}
				all := strings.Join(args, " ")
				return usagef("hdseg help: no command or topic is called %q%s", all, configs.Meant(all, names))
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
	header := &doc.GenManHeader{Section: "1", Source: "hdseg " + manifests.Version, Manual: "hdseg"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return err
	}
	pages, _ := fs.Glob(os.DirFS(dir), "hdseg*.1") // the pattern is good
	_, err := fmt.Fprintf(root.OutOrStdout(), "%d man pages in %s: man -l %s\n", len(pages), dir, filepath.Join(dir, "hdseg.1"))
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
	"preset":   {"paper", "fast", "best"},
	"from":     pipeline.Stages,
}

// settingValues are what settings of a few values take, for completion of --set.
var settingValues = map[string][]string{
	"ingest.object":             {"union", "largest", "all"},
	"ingest.boxBase":            {"auto", "0", "1"},
	"ingest.maskValues":         {"auto", "0,1", "0,255", "0,128", "0,1,255", "0,128,255"},
	"ingest.resizeMasks":        {"nearest"},
	"ingest.maskOrientation":    {"auto", "stored", "upright"},
	"superpixel.method":         {"slic", "ward"},
	"feature.set":               {"draft", "hdseg", "full", "saliency"},
	"train.solver":              {"closed-form", "cg", "sgd"},
	"train.balance":             {"paper", "none"},
	"train.potentials":          {lscrf.EdgeSum, lscrf.Association},
	"train.trees.leaves":        {"independent", "shared"},
	"train.treeFeatures.leaves": {"independent", "shared"},
}

// completeSetting completes --set: names of settings, and behind = the values of those of a few.
func completeSetting(_ *cobra.Command, _ []string, typed string) (out []string, _ cobra.ShellCompDirective) {
	path, _, behind := strings.Cut(typed, "=")
	for _, s := range configs.Settings() {
		values := settingValues[s.Path]
		if s.Type == "true or false" {
			values = []string{"true", "false"}
		}
		switch {
		case !behind:
			out = append(out, s.Path+"=")
		case s.Path == path:
			for _, v := range values {
				out = append(out, path+"="+v)
			}
		}
	}
	if behind {
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeID completes the id before a manifest: of -i, or of the one manifest that lies here or in
// a folder here.
func (a *app) completeID(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		return []string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	found := []string{a.in}
	if a.in == "" {
		here, _ := filepath.Glob("*.yaml") // these patterns are good
		below, _ := filepath.Glob("*/*.yaml")
		found = slices.DeleteFunc(append(here, below...), func(f string) bool { return wants(f, "manifest") != nil })
	}
	if len(found) != 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, m, _, err := manifests.ReadFile(found[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for i := range m.Records {
		ids = append(ids, m.Records[i].ID)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// complete says what the flags and arguments of a command take.
func (a *app) complete(cmd *cobra.Command) {
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
	if f := cmd.LocalFlags().Lookup("class"); f != nil && f.Usage == "horse or dog" {
		fixed("class", strings.Split(f.Usage, " or "))
	}
	if strings.HasSuffix(cmd.Use, " NAME") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	if cmd.LocalFlags().Lookup("set") != nil {
		mustComplete(cmd, "set", completeSetting)
		mustComplete(cmd, "config", cobra.FixedCompletions(configs.Names(), cobra.ShellCompDirectiveDefault))
	}
	if cmd.LocalFlags().Lookup("in") != nil {
		yaml := cobra.FixedCompletions([]string{"yaml"}, cobra.ShellCompDirectiveFilterFileExt)
		if cmd.ValidArgsFunction = yaml; strings.Contains(cmd.Use, " ID ") {
			cmd.ValidArgsFunction = a.completeID
		}
		mustComplete(cmd, "in", yaml)
	}
}

// mustComplete registers the values of a flag that the command has.
func mustComplete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the program asks for it twice
	}
}
