package findings

import (
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// facts returns what is known of the cluster if the files were applied to it.
func (in *Input) facts() lint.Facts {
	out, files := in.Facts.Facts, &in.Files
	if out.Namespaces != nil {
		out.Namespaces = slices.Concat(out.Namespaces, files.Namespaces)
	}
	if out.ServiceAccounts != nil {
		out.ServiceAccounts = maps.Clone(out.ServiceAccounts)
		for namespace, names := range files.ServiceAccounts {
			out.ServiceAccounts[namespace] = slices.Concat(out.ServiceAccounts[namespace], names)
		}
	}
	return out
}
