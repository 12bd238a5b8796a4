package app

import (
	"context"
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

// cluster is the kube-apiserver in front of this server: the place of the
// webhooks and policies that apply to our objects too.
type cluster struct {
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	informers informers.SharedInformerFactory
}

func (c *Config) connectCluster(context.Context) error {
	config, err := c.options.Identity.ClientConfig()
	if err != nil || config == nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("client of the kube-apiserver: %w", err)
	}
	c.cluster = &cluster{client: client, dynamic: dynamicClient, informers: informers.NewSharedInformerFactory(client, 0)}
	return nil
}

// applyAdmission puts the cluster's admission before every write. A server
// alone has no webhooks or policies to ask.
func (c *Config) applyAdmission(context.Context) error {
	if c.cluster == nil {
		return nil
	}
	if err := c.options.Admission.ApplyTo(c.generic, c.cluster.informers, c.cluster.client, c.cluster.dynamic, c.generic.FeatureGate); err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	return nil
}
