package identity

import (
	"fmt"

	"github.com/spf13/pflag"
)

// flagSets are the sets that hold the flags of Options; empty if AddFlags was
// never called.
type flagSets []*pflag.FlagSet

// lookup returns a flag that must be there.
func (s flagSets) lookup(name string) *pflag.Flag {
	for _, set := range s {
		if flag := set.Lookup(name); flag != nil {
			return flag
		}
	}
	panic(fmt.Sprintf("identity: no flag --%s", name))
}

// given tells whether the command line has the flag, with whatever value.
func (s flagSets) given(name string) bool {
	return len(s) > 0 && s.lookup(name).Changed
}
