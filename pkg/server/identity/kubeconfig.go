package identity

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// kubeconfig is a file and the flag that names it.
type kubeconfig struct{ flag, file string }

func (o *Options) authenticationKubeconfig() kubeconfig {
	return kubeconfig{"authentication-kubeconfig", o.Authentication.RemoteKubeConfigFile}
}

func (o *Options) authorizationKubeconfig() kubeconfig {
	return kubeconfig{"authorization-kubeconfig", o.Authorization.RemoteKubeConfigFile}
}

// ClientConfig returns how to reach the kube-apiserver in front, and nil if there
// is none. An error names the flag and the file.
func (o *Options) ClientConfig() (*rest.Config, error) {
	return o.clientConfig(kubeconfig{"kubeconfig", o.Kubeconfig}, o.authorizationKubeconfig(), o.authenticationKubeconfig())
}

// AuthenticationClientConfig is ClientConfig for the kube-apiserver that knows
// users.
func (o *Options) AuthenticationClientConfig() (*rest.Config, error) {
	return o.clientConfig(o.authenticationKubeconfig(), kubeconfig{"kubeconfig", o.Kubeconfig})
}

// AuthorizationClientConfig is ClientConfig for the kube-apiserver that knows
// permissions.
func (o *Options) AuthorizationClientConfig() (*rest.Config, error) {
	return o.clientConfig(o.authorizationKubeconfig(), kubeconfig{"kubeconfig", o.Kubeconfig})
}

// clientConfig loads the first kubeconfig that is given, or takes the credentials
// of the pod.
func (o *Options) clientConfig(sources ...kubeconfig) (*rest.Config, error) {
	if !o.Delegated() {
		return nil, nil
	}
	for _, source := range sources {
		if source.file != "" {
			return loadKubeconfig(source.flag, source.file)
		}
	}
	return o.inCluster()
}

// loadKubeconfig reads the kubeconfig that a flag names. Unlike the library's
// loaders it never falls back to the credentials of the pod, since a file that
// says nothing is a mistake. Errors name the flag and the file.
func loadKubeconfig(flag, file string) (*rest.Config, error) {
	content, err := clientcmd.LoadFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable kubeconfig: %w", flag, file, err)
	}
	if err := clientcmd.ResolveLocalPaths(content); err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", flag, file, err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*content, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a kubeconfig whose current context names a server: %w", flag, file, err)
	}
	return config, nil
}

// loadWebhookKubeconfig reads the kubeconfig of a service that answers reviews.
// Its requests have a time limit and no rate limit: how many there are is decided
// where requests are let in.
func loadWebhookKubeconfig(flag, file string) (*rest.Config, error) {
	config, err := loadKubeconfig(flag, file)
	if err != nil {
		return nil, err
	}
	config.Timeout = webhookRequestTimeout
	config.QPS = -1
	return config, nil
}
