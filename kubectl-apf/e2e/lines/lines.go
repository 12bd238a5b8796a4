// Package lines reads requests of tests, as kubectl apf explain takes them.
package lines

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
)

// Parse returns the request of a line, whose words have spaces between them.
func Parse(line string) (explain.Request, error) {
	var flags explain.Flags
	set := pflag.NewFlagSet("request", pflag.ContinueOnError)
	flags.AddTo(set)
	if err := set.Parse(strings.Fields(line)); err != nil {
		return explain.Request{}, err
	}
	requests, err := explain.Parser{Mapper: explain.Offline}.Parse(set.Args(), &flags)
	if err == nil && len(requests) != 1 {
		err = fmt.Errorf("%q are %d requests: must be one", line, len(requests))
	}
	if err != nil {
		return explain.Request{}, err
	}
	return requests[0], nil
}
