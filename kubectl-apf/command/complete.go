package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// completionTime limits asking a server while somebody types.
const completionTime = 3 * time.Second

// completeFlag completes the values of a flag by names, which may ask a server.
func completeFlag(c *cobra.Command, flag string, names func(context.Context) []string) {
	complete := func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return beginWith(names(c.Context()), begun), cobra.ShellCompDirectiveNoFileComp
	}
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is missing
	}
}

func beginWith(names []string, begun string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) })
}

// objects returns the configuration for completions; it is empty if it cannot be read.
func (l *looking) objects(ctx context.Context, env Environment) configuration.Configuration {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	from, err := l.open(env)
	if err != nil {
		return configuration.Configuration{}
	}
	c, err := from.Configuration(ctx)
	if err != nil {
		return configuration.Configuration{}
	}
	return c
}

// schemaNames returns the names of the flow schemas, sorted.
func (l *looking) schemaNames(env Environment) func(context.Context) []string {
	return func(ctx context.Context) []string {
		var names []string
		for _, schema := range l.objects(ctx, env).FlowSchemas {
			names = append(names, schema.Name)
		}
		slices.Sort(names)
		return names
	}
}

// resources returns the resources that the server serves, as in "deployments.apps"; resources of
// the core group have no group.
func (l *looking) resources() []string {
	client, err := l.cluster.ToDiscoveryClient()
	if err != nil {
		return nil
	}
	_, lists, _ := client.ServerGroupsAndResources() // some groups are better than none
	var names []string
	for _, list := range lists {
		group, _, grouped := strings.Cut(list.GroupVersion, "/")
		for i := range list.APIResources {
			resource := list.APIResources[i].Name
			if strings.Contains(resource, "/") {
				continue // a subresource
			}
			if grouped {
				resource += "." + group
			}
			names = append(names, resource)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// complete completes the words of a request: the verb, and the resource.
func (e *explainCommand) complete(_ *cobra.Command, words []string, begun string) ([]string, cobra.ShellCompDirective) {
	switch len(words) {
	case 0:
		return beginWith([]string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}, begun), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return beginWith(e.looking.resources(), begun), cobra.ShellCompDirectiveNoFileComp
	default:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
