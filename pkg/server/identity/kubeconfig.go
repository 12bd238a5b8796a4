package identity

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

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
