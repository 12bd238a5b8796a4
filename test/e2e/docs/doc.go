// Package docs tests the guides in docs/ on real clusters.
//
// The short lane tests docs/deploy.md for a server beside kube-apiserver's v1: rolling
// back removes everything. In the long lane a real Prometheus discovers and scrapes the
// replicas with the files of artifacts/prometheus, and the commands of whole guides run,
// whose outputs are compared. Package artifacts compares guides and artifacts in the
// short lane.
package docs
