// Package docs tests the guides in docs/ on real clusters.
//
// The short lane tests docs/deploy.md for a server beside kube-apiserver's v1: a
// real Prometheus discovers and scrapes the replicas with the files of
// artifacts/prometheus, and rolling back removes everything. The long lane runs
// the commands of whole guides and compares their output. Package artifacts
// compares guides and artifacts in the short lane.
package docs
