package controlplane

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

// Trust is what a server takes from kube-apiserver's ConfigMap.
type Trust struct {
	// ClientCA and FrontProxy tell whether users' certificates and the front
	// proxy go by it, or else by flags.
	ClientCA, FrontProxy bool
	// Knows tells whether the server goes by a bundle of certificates of the
	// ConfigMap already.
	Knows func(bundle string) bool
}

// The ConfigMap in which a kube-apiserver tells whom it trusts itself.
const (
	TrustNamespace = metav1.NamespaceSystem
	TrustName      = "extension-apiserver-authentication"
)

const (
	clientCAKey     = "client-ca-file"
	frontProxyCAKey = "requestheader-client-ca-file"
)

// askTrust reads the ConfigMap in which kube-apiserver tells whom to trust.
func askTrust(ctx context.Context, client corev1client.ConfigMapsGetter, trust *Trust) *Trouble {
	configMap, err := client.ConfigMaps(TrustNamespace).Get(ctx, TrustName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &Trouble{Text: "the ConfigMap " + TrustNamespace + "/" + TrustName + " is missing: kube-apiserver makes it, within a minute of its start", Cause: err}
	}
	if err != nil {
		return refused(err, "we may not read the ConfigMap "+TrustNamespace+"/"+TrustName+
			": bind the Role "+TrustNamespace+"/"+TrustName+"-reader to our user")
	}
	var bundles []string
	if trust.ClientCA {
		bundles = append(bundles, clientCAKey)
	}
	if trust.FrontProxy {
		if trouble := brokenProxy(configMap); trouble != nil {
			return trouble
		}
		bundles = append(bundles, frontProxyCAKey)
	}
	for _, key := range bundles {
		bundle := configMap.Data[key]
		if bundle == "" {
			continue // a cluster without client certificates
		}
		if _, err := cert.ParseCertsPEM([]byte(bundle)); err != nil {
			return broken(key, "holds no PEM certificates", err)
		}
		if !trust.Knows(bundle) {
			return &Trouble{Text: "the ConfigMap " + TrustNamespace + "/" + TrustName + " is there, and is being taken over"}
		}
	}
	return nil
}

// brokenProxy says what is wrong with what the ConfigMap says of the front proxy.
func brokenProxy(configMap *corev1.ConfigMap) *Trouble {
	const users = "requestheader-username-headers"
	for _, key := range []string{frontProxyCAKey, users} {
		if configMap.Data[key] == "" {
			return broken(key, "is missing: kube-apiserver needs the flags --requestheader-*", nil)
		}
	}
	for _, key := range []string{users, "requestheader-uid-headers", "requestheader-group-headers",
		"requestheader-extra-headers-prefix", "requestheader-allowed-names"} {
		var names []string
		if err := json.Unmarshal([]byte(configMap.Data[key]), &names); err != nil && configMap.Data[key] != "" {
			return broken(key, "is not a JSON list of texts", err)
		}
	}
	return nil
}

func broken(key, what string, err error) *Trouble {
	return &Trouble{Text: fmt.Sprintf("the ConfigMap %s/%s is broken, its %s %s; once deleted, kube-apiserver makes it again",
		TrustNamespace, TrustName, key, what), Cause: err}
}
