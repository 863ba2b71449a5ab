// Package config is everything that can be set: one struct, its defaults, and three ways to change them.
//
// The nouns: a [Config] holds all settings; each has a path, such as politeness.delay, which is its key in a file, its name in the
// environment (CYBERMAPPER_POLITENESS_DELAY), and what a flag refers to. A [Loader] puts a Config together from a file,
// the environment and flags. [Duration], [Size] and [Percent] are values that people write with a unit.
//
// Promises: reading is strict. Unknown keys, values of the wrong kind, missing units, keys that occur twice and a second
// document are mistakes; all of them are reported at once, with file and line, variable or flag, in words that do not
// name anything of this program's inside. What [Config.YAML] writes reads back as the same, and is read by later versions: a
// setting that is gone since is a warning.
//
// Limits: merge keys (<<) are not known. A Config says nothing about where it came from; that is the Loader's.
//
//	l := config.NewLoader()
//	if err := l.File("crawl.yaml"); err != nil {
//		return err
//	}
//	l.Environment(os.Environ())
//	l.Flags(cmd.Flags())
//	c, err := l.Finish()
//
// # Design
//
// A setting exists once, as a field. Files, environment and flags write through the same code to the same field, found
// by reflection over the yaml tags, so none of them can know a setting or a spelling that the others do not. The YAML
// nodes are walked here instead of by yaml.Decoder, whose messages name Go types, and lines but not settings.
package config
