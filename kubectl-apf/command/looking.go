package command

import (
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// looking are the flags that say where a command looks.
type looking struct {
	cluster *genericclioptions.ConfigFlags
	servers []string
	files   genericclioptions.FileNameFlags
	offline bool
	release string
	total   int
	dumps   string
}

func newLooking() *looking {
	cluster := genericclioptions.NewConfigFlags(true)
	cluster.APIServer = nil // --server is ours: it may be repeated
	cluster.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.UserAgent = "kubectl-apf/v" + release
		return config
	}
	return &looking{cluster: cluster}
}

// withoutImpersonation leaves out --as, --as-group and --as-uid, for a command that gives them
// another meaning.
func (l *looking) withoutImpersonation() *looking {
	l.cluster.Impersonate, l.cluster.ImpersonateGroup, l.cluster.ImpersonateUID = nil, nil, nil
	return l
}

// withFiles adds -f, -k and -R.
func (l *looking) withFiles(usage string) *looking {
	l.files = genericclioptions.FileNameFlags{Usage: usage, Filenames: new([]string), Kustomize: new(string), Recursive: new(bool)}
	return l
}

// addFlags adds the flags to a command's, in a section of their own in its help.
func (l *looking) addFlags(to *pflag.FlagSet) {
	flags := pflag.NewFlagSet("looking", pflag.ContinueOnError)
	l.cluster.AddFlags(flags)
	// Like kubectl's flag of this name, it sends requests there instead of to the server
	// of the kubeconfig. If it is repeated, each server is a replica.
	flags.StringArrayVarP(&l.servers, "server", "s", nil,
		"The address and port of the Kubernetes API server. Repeat it for each replica; without it, the replicas are found.")
	if l.files.Filenames != nil {
		l.files.AddFlags(flags)
	}
	flags.BoolVar(&l.offline, "offline", false, "Ask no server: use the built-in objects of --release, and files if given.")
	flags.StringVar(&l.release, "release", "", "The Kubernetes release, such as 1.33, whose built-in objects and estimates are used with --offline or --dumps.")
	flags.IntVar(&l.total, "total", 0, "The number of seats of one API server: --max-requests-inflight plus --max-mutating-requests-inflight. If 0, it is inferred.")
	flags.StringVar(&l.dumps, "dumps", "", "A directory or archive of saved answers, such as a must-gather, that is read instead of a cluster.")
	flags.VisitAll(func(f *pflag.Flag) { inSection(f, whereSection) })
	to.AddFlagSet(flags)
}

// hasFiles reports whether -f or -k is given.
func (l *looking) hasFiles() bool {
	files := l.files.ToOptions()
	return len(files.Filenames) > 0 || files.Kustomize != ""
}

// isOffline reports whether no cluster is read.
func (l *looking) isOffline() bool { return l.offline || l.dumps != "" }

// name returns the address of the cluster.
func (l *looking) name() (string, error) {
	config, err := l.cluster.ToRESTConfig()
	if err != nil {
		return "", err
	}
	return config.Host, nil
}

// open returns the source that the flags describe.
func (l *looking) open(env Environment) (source.Source, error) {
	return l.openWith(env, l.files.ToOptions())
}

// openWithoutFiles returns what the files are laid over.
func (l *looking) openWithoutFiles(env Environment) (source.Source, error) {
	return l.openWith(env, resource.FilenameOptions{})
}

func (l *looking) openWith(env Environment, files resource.FilenameOptions) (source.Source, error) {
	return source.New(l.options(env, files))
}

// openForRoles returns the source that the flags describe, whose files may have roles.
func (l *looking) openForRoles(env Environment) (source.Source, error) {
	options := l.options(env, l.files.ToOptions())
	options.Roles, options.Namespace = true, l.namespace()
	return source.New(options)
}

func (l *looking) options(env Environment, files resource.FilenameOptions) source.Options {
	if len(l.servers) > 0 {
		l.cluster.APIServer = &l.servers[0]
	}
	return source.Options{
		Cluster: l.cluster, Files: files, Stdin: env.In,
		Offline: l.offline, Release: configuration.Release(l.release), Servers: l.servers,
		Dumps: l.dumps, Total: l.total, Now: env.Clock.Now,
	}
}

// namespace returns the namespace of -n, otherwise of the kubeconfig.
func (l *looking) namespace() string {
	namespace, _, err := l.cluster.ToRawKubeConfigLoader().Namespace()
	if err != nil || namespace == "" {
		return "default"
	}
	return namespace
}
