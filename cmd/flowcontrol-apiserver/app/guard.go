package app

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/registration"
)

// newGuardCommand returns the command "guard-v1".
func newGuardCommand() *cobra.Command {
	guard := &registration.Guard{Clock: clock.RealClock{}}
	var kubeconfig, server string
	command := &cobra.Command{
		Use:   "guard-v1",
		Short: "Return v1 to kube-apiserver when no replica serves it",
		Long: `Return v1 to kube-apiserver when no replica has served it for a while.

Use it in clusters where v1 is registered for this server. A kube-apiserver that starts
does not become live before a replica serves v1, and the replicas may depend on it. This
command runs beside kube-apiserver, as the static pod of artifacts/registration/guard-v1,
and needs nothing but kube-apiserver. When v1 has been unavailable for --patience, or
its APIService absent, it makes the one that kube-apiserver makes for itself.
kube-apiserver then enforces the objects of its own etcd. It does not register v1 again.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if guard.Patience <= 0 || guard.Interval <= 0 {
				return fmt.Errorf("--patience=%v and --interval=%v must be more than 0", guard.Patience, guard.Interval)
			}
			config, err := clientcmd.BuildConfigFromFlags(server, kubeconfig)
			if err != nil {
				return fmt.Errorf("--kubeconfig=%s: %w", kubeconfig, err)
			}
			config.Timeout = 10 * time.Second
			if guard.Client, err = dynamic.NewForConfig(config); err != nil {
				return err
			}
			guard.Run(command.Context())
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig of kube-apiserver, with permission to get, create and delete APIServices. Default: the credentials of the pod.")
	flags.StringVar(&server, "server", "", "URL of kube-apiserver. Default: the kubeconfig's, which may be a load balancer's.")
	flags.StringVarP(&guard.Namespace, "namespace", "n", "flowcontrol-system", "Namespace of the Service of this server.")
	flags.StringVar(&guard.Service, "service", "flowcontrol-apiserver", "Name of the Service of this server.")
	flags.DurationVar(&guard.Patience, "patience", time.Minute, "How long v1 must be unavailable.")
	flags.DurationVar(&guard.Interval, "interval", 5*time.Second, "How often the registration is checked.")
	return command
}
