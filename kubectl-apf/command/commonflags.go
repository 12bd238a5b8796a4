package command

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// commonFlags are the flags of most commands: where they read, and what they write.
type commonFlags struct {
	env     Environment
	output  output
	cluster *genericclioptions.ConfigFlags
	servers []string
	files   genericclioptions.FileNameFlags
	offline bool
	release string
	total   int
	dumps   string
}

func newCommonFlags(env Environment) commonFlags {
	cluster := genericclioptions.NewConfigFlags(true)
	cluster.APIServer = nil // --server is ours: it may be repeated
	cluster.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.UserAgent = "kubectl-apf/v" + release
		return config
	}
	return commonFlags{env: env, cluster: cluster}
}

// withFiles adds -f, -k and -R.
func (l commonFlags) withFiles(usage string) commonFlags {
	l.files = genericclioptions.FileNameFlags{Usage: usage, Filenames: new([]string), Kustomize: new(string), Recursive: new(bool)}
	return l
}

// addTo adds the flags to a command's, and -o.
func (l *commonFlags) addTo(c *cobra.Command) {
	l.output.addTo(c)
	l.addSourceTo(c)
}

// addSourceTo adds the flags that say where it looks, in a section of their own in its help.
func (l *commonFlags) addSourceTo(c *cobra.Command) {
	flags := pflag.NewFlagSet("common", pflag.ContinueOnError)
	l.cluster.AddFlags(flags)
	flags.VisitAll(func(f *pflag.Flag) { inSection(f, kubectlSection) })
	// Like kubectl's flag of this name, it sends requests there instead of to the server
	// of the kubeconfig. If it is repeated, each server is a replica.
	flags.StringArrayVarP(&l.servers, "server", "s", nil,
		"The address and port of the Kubernetes API server. Repeat it for each replica; without it, the replicas are found.")
	if l.files.Filenames != nil {
		l.files.AddFlags(flags)
	}
	flags.BoolVar(&l.offline, "offline", false, "Contact no server: use the built-in objects of --release, and files.")
	flags.StringVar(&l.release, "release", "", "The Kubernetes release, such as 1.33, whose built-in objects and estimates are used with --offline or --dumps.")
	flags.IntVar(&l.total, "total", 0, "The number of seats of one API server: --max-requests-inflight plus --max-mutating-requests-inflight. If 0, it is inferred.")
	flags.StringVar(&l.dumps, "dumps", "", "A directory or archive of saved API responses, such as a must-gather, that is read instead of a cluster.")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[sectionAnnotation] == nil {
			inSection(f, whereSection)
		}
	})
	c.Flags().AddFlagSet(flags)
}

// hasFiles reports whether -f or -k is given.
func (l *commonFlags) hasFiles() bool {
	files := l.files.ToOptions()
	return len(files.Filenames) > 0 || files.Kustomize != ""
}

// write writes an answer.
func (l *commonFlags) write(a answer) error { return l.output.write(l.env, a) }

// open returns the source that the flags describe.
func (l *commonFlags) open() (source.Source, error) {
	if len(l.servers) > 0 {
		l.cluster.APIServer = &l.servers[0]
	}
	return source.New(source.Options{
		Cluster: l.cluster, Files: l.files.ToOptions(), Stdin: l.env.In,
		Offline: l.offline, Release: configuration.Release(l.release), Servers: l.servers,
		Dumps: l.dumps, Total: l.total, Now: l.env.Clock.Now,
	})
}

// read returns the source that the flags describe, and its configuration.
func (l *commonFlags) read(ctx context.Context) (from source.Source, c configuration.Configuration, err error) {
	if from, err = l.open(); err != nil {
		return from, c, err
	}
	c, err = from.Configuration(ctx)
	return from, c, err
}
