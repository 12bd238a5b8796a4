package configfile

import (
	"strings"

	"github.com/spf13/pflag"
)

// FieldName returns the name of the field for the flag of this name.
// For example: etcdCAFile for etcd-cafile.
func FieldName(flag string) string {
	first, rest, _ := strings.Cut(flag, "-")
	if first == "requestheader" {
		first = "requestHeader"
	}
	var name strings.Builder
	name.WriteString(first)
	for word := range strings.SplitSeq(rest, "-") {
		name.WriteString(capitalized(word))
	}
	return name.String()
}

// capitalized returns a word of a flag's name as a field has it within its name:
// initialisms as the API conventions write them, and what flags write as one word apart.
func capitalized(word string) string {
	switch word {
	case "":
		return ""
	case "api", "ca", "db", "http2", "id", "json", "qps", "rbac", "sni", "tls", "ttl", "url":
		return strings.ToUpper(word)
	case "cafile":
		return "CAFile"
	case "certfile", "keyfile":
		return strings.ToUpper(word[:1]) + strings.TrimSuffix(word[1:], "file") + "File"
	case "maxage", "maxbackup", "maxsize":
		return "Max" + capitalized(strings.TrimPrefix(word, "max"))
	default:
		return strings.ToUpper(word[:1]) + word[1:]
	}
}

// fields returns the flags that a file may set, by the names of their fields. help,
// version and config are about one execution.
func fields(flags *pflag.FlagSet) map[string]*pflag.Flag {
	byName := make(map[string]*pflag.Flag)
	flags.VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "help", "version", FlagName:
		default:
			byName[FieldName(flag.Name)] = flag
		}
	})
	return byName
}

// similar returns the field that a misspelled name stands for, or "": one that differs
// in case, hyphens and underscores only, such as the name of its flag.
func similar(name string, known map[string]*pflag.Flag) string {
	fold := strings.NewReplacer("-", "", "_", "")
	for field := range known {
		if strings.EqualFold(field, fold.Replace(name)) {
			return field
		}
	}
	return ""
}
