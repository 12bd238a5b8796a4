package kubeapiserver

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/cert"
)

// Trust is what this server takes from the ConfigMap where kube-apiserver publishes its CA bundles.
type Trust struct {
	// ClientCA and FrontProxy report whether the CA bundle of client certificates,
	// and the settings of the front proxy, come from the ConfigMap and not from
	// flags.
	ClientCA, FrontProxy bool
	// Knows reports whether this server has loaded a CA bundle of the ConfigMap.
	Knows func(bundle string) bool
}

// TrustNamespace and TrustName identify the ConfigMap where kube-apiserver publishes its CA
// bundles.
const (
	TrustNamespace = metav1.NamespaceSystem
	TrustName      = "extension-apiserver-authentication"

	trustConfigMap = "the ConfigMap " + TrustNamespace + "/" + TrustName
)

const (
	clientCAKey     = "client-ca-file"
	frontProxyCAKey = "requestheader-client-ca-file"
)

// checkTrust checks that the ConfigMap is valid and that this server has loaded
// its CA bundles.
func checkTrust(ctx context.Context, client corev1client.ConfigMapsGetter, trust *Trust) *failure {
	configMap, err := client.ConfigMaps(TrustNamespace).Get(ctx, TrustName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &failure{message: trustConfigMap + " is missing: kube-apiserver creates it within a minute of its start", cause: err}
	}
	if err != nil {
		return explain(err, "this server is not allowed to read "+trustConfigMap+
			": bind the Role "+TrustNamespace+"/"+TrustName+"-reader to this server's user")
	}
	var keys []string
	if trust.ClientCA {
		keys = append(keys, clientCAKey)
	}
	if trust.FrontProxy {
		if failed := checkFrontProxy(configMap); failed != nil {
			return failed
		}
		keys = append(keys, frontProxyCAKey)
	}
	for _, key := range keys {
		bundle := configMap.Data[key]
		if bundle == "" {
			continue // the cluster has no client certificates
		}
		if _, err := cert.ParseCertsPEM([]byte(bundle)); err != nil {
			return invalidTrust(key, "contains no PEM certificates", err)
		}
		if !trust.Knows(bundle) {
			return &failure{message: trustConfigMap + " exists, and its CA bundles have not been loaded yet", pending: true}
		}
	}
	return nil
}

// checkFrontProxy checks the settings of the front proxy in the ConfigMap.
func checkFrontProxy(configMap *corev1.ConfigMap) *failure {
	const users = "requestheader-username-headers"
	for _, key := range []string{frontProxyCAKey, users} {
		if configMap.Data[key] == "" {
			return invalidTrust(key, "is missing: kube-apiserver needs the flags --requestheader-*", nil)
		}
	}
	for _, key := range []string{users, "requestheader-uid-headers", "requestheader-group-headers",
		"requestheader-extra-headers-prefix", "requestheader-allowed-names"} {
		var names []string
		if err := json.Unmarshal([]byte(configMap.Data[key]), &names); err != nil && configMap.Data[key] != "" {
			return invalidTrust(key, "is not a JSON list of strings", err)
		}
	}
	return nil
}

func invalidTrust(key, problem string, err error) *failure {
	return &failure{message: fmt.Sprintf("%s is invalid, its %s %s; delete it to have kube-apiserver recreate it", trustConfigMap, key, problem), cause: err}
}
