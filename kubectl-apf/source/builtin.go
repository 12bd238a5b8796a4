package source

import (
	"cmp"
	"context"
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// builtIn is the configuration of a new cluster.
type builtIn struct {
	withoutReviews
	options Options
}

var _ base = (*builtIn)(nil)

func (b *builtIn) Configuration(context.Context) (configuration.Configuration, error) {
	return builtInOf(b.options)
}

func (b *builtIn) Replicas(context.Context, Want) ([]replica.Replica, error) { return nil, nil }

func (b *builtIn) Facts(context.Context) (Facts, error) {
	return Facts{Missing: []replica.Missing{{What: "cluster", Why: "With --offline no server is asked: namespaces, resources, API services and webhooks are unknown."}}}, nil
}

// builtInOf returns the built-in objects of the release of the options.
func builtInOf(options Options) (configuration.Configuration, error) {
	release := cmp.Or(options.Release, configuration.Newest)
	c, err := configuration.BuiltIn(release)
	if err != nil {
		return c, err
	}
	if options.Release == "" {
		c.Notes = append(c.Notes, fmt.Sprintf("The built-in objects are from Kubernetes %s; --release names another release.", release))
	}
	c.Total = options.Total
	if c.Total == 0 {
		c.Notes = append(c.Notes, assumedTotal())
	}
	return c, nil
}

// assumedTotal is the note about a total that cannot be inferred.
func assumedTotal() string {
	return fmt.Sprintf("The total of an API server is unknown: %d seats are assumed, as without flags; --total names another number.", configuration.DefaultTotal)
}
