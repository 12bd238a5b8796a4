package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/renewal"
)

// certsRenewSecrets is the command "certs renew-secrets".
type certsRenewSecrets struct {
	kubeconfig, namespace string
	renewal.Secrets
}

func newCertsRenewSecretsCommand() *cobra.Command {
	renew := &certsRenewSecrets{Secrets: renewal.Secrets{Clock: clock.RealClock{}}}
	command := &cobra.Command{
		Use:   "renew-secrets [SECRET]...",
		Short: "Renew certificates in Secrets of a cluster that are near their end",
		Long: `Renew the certificates in Secrets that artifacts/certificates/certificates.sh has
created, if they are near their end; without an argument, all three. The CronJob of
artifacts/certificates/cronjob runs this.

A renewed certificate has a new key, and the names and usages of the one it replaces.
Secrets that do not exist, that cert-manager renews, or whose certificate another CA
has signed are left alone. The CA is not renewed.`,
		Example: "  flowcontrol-apiserver certs renew-secrets --kubeconfig ~/.kube/config",
		RunE: func(command *cobra.Command, args []string) error {
			if err := renew.connect(); err != nil {
				return err
			}
			return renew.run(command.Context(), command.OutOrStdout(), args)
		},
	}
	flags := command.Flags()
	flags.StringVar(&renew.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster. Default: the credentials of the pod.")
	flags.StringVarP(&renew.namespace, "namespace", "n", "flowcontrol-system", "Namespace of the Secrets.")
	flags.StringVar(&renew.CA, "ca-secret", "flowcontrol-apiserver-ca", "Secret with the certificate and the key of the CA.")
	flags.DurationVar(&renew.Duration, "duration", 365*24*time.Hour, "How long a renewed certificate is valid.")
	flags.DurationVar(&renew.RenewBefore, "renew-before", 30*24*time.Hour, "How long before its end a certificate is renewed.")
	return command
}

func (c *certsRenewSecrets) connect() error {
	config, err := rest.InClusterConfig()
	if c.kubeconfig != "" {
		config, err = clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	}
	if err != nil {
		return fmt.Errorf("--kubeconfig=%s: %w; give the kubeconfig of a cluster, or run this in a pod", c.kubeconfig, err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c.Client = client.CoreV1().Secrets(c.namespace)
	return nil
}

// run renews the Secrets of these names, and tells what became of each.
func (c *certsRenewSecrets) run(ctx context.Context, out io.Writer, names []string) error {
	if c.RenewBefore <= 0 || c.Duration <= c.RenewBefore {
		return fmt.Errorf("--duration=%v must be more than --renew-before=%v, which must be more than 0", c.Duration, c.RenewBefore)
	}
	if len(names) == 0 {
		names = []string{"flowcontrol-apiserver-serving", "flowcontrol-apiserver-etcd-client", "flowcontrol-etcd-tls"}
	}
	var errs []error
	for _, name := range names {
		result, err := c.Renew(ctx, name)
		until := result.NotAfter.UTC().Format(time.RFC3339)
		switch {
		case err != nil:
			errs = append(errs, err)
		case result.Left != "":
			fmt.Fprintf(out, "Secret %s left alone: %s\n", name, result.Left)
		case result.Renewed:
			fmt.Fprintf(out, "Secret %s renewed, valid until %s\n", name, until)
		default:
			fmt.Fprintf(out, "Secret %s valid until %s\n", name, until)
		}
	}
	return errors.Join(errs...)
}
