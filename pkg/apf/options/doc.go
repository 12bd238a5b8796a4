// Package options gives a server built on k8s.io/apiserver flow control in a few lines, in the form
// of k8s.io/apiserver/pkg/server/options, here with RecommendedOptions:
//
//	flowControl := options.NewOptions()
//	recommended.Features.EnablePriorityAndFairness = false // before AddFlags, which reads it
//	recommended.AddFlags(flags) // as before
//	flowControl.AddFlags(flags)
//	...
//	if err := recommended.ApplyTo(config); err != nil { // as before
//		return err
//	}
//	if err := flowControl.ApplyToRecommended(config); err != nil {
//		return err
//	}
//
// Flow control needs no client of the cluster, no informer and no permission, and does not delay
// readiness.
//
// # Where the configuration comes from
//
// The first source that has one is used:
//
//   - file: the manifests in Options.ConfigPath, a file or a directory, such as a mounted
//     ConfigMap, in place of all built-in objects. They are read again every ten seconds;
//   - cluster: the objects of kube-apiserver, with Options.FollowCluster. They are read as v1,
//     or as v1beta3 if kube-apiserver does not serve v1, with Options.Client, the kubeconfig of
//     the server or the service account of its pod;
//   - built-in: objects of Kubernetes that fit an aggregated server, see BuiltIn.
//
// A server with its own informers sets Options.Informers instead.
//
// No source delays startup or stops the server. While a source cannot be read, or what it has is invalid, what
// was used stays: nothing falls back to a worse source. Status says which source is in
// use, since when, and what is wrong with the better ones; so do the debug endpoint
// /debug/api_priority_and_fairness/configuration_source, the metrics
// apf_configuration_source_* and, once for each change, the log.
//
// Without a file and without FollowCluster nothing runs but the engine, which divides the
// seats every second.
package options
