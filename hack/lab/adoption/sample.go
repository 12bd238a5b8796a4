package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func sampleServer() server {
	flunders := "/apis/wardle.example.com/v1alpha1/namespaces/" + namespace + "/flunders/"
	return server{
		name: "sample-apiserver", source: "k8s.io/sample-apiserver@v0.37.2", version: schema.GroupVersion{Group: "wardle.example.com", Version: "v1alpha1"},
		about: "etcd is slow: it serves 16 requests at once, each for 100 ms on average. Elephant and mice get one object each.",
		rules: admission(), seats: 20, backend: slow(), off: off(), mouse: flunders + "mouse", elephant: flunders + "elephant",
		prepare: func(l *site) {
			l.args = append(l.args, "--kubeconfig="+l.kubeconfig, "--etcd-servers="+l.slowEtcd(), newer)
		},
		fill: func(l *site) {
			for _, name := range []string{"mouse", "elephant"} {
				l.apply(fmt.Sprintf("apiVersion: wardle.example.com/v1alpha1\nkind: Flunder\nmetadata: {namespace: %s, name: %s}\n", namespace, name))
			}
		},
	}
}
