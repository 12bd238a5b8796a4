// Package docs tests what the guides in docs/ say, on real clusters.
//
// What docs/deploy.md says of a server beside kube-apiserver's own v1 is tested in
// the short lane: a real Prometheus finds the replicas and reads their metrics with
// the files of artifacts/prometheus, and rolling back leaves nothing behind. In the
// long lane the commands of whole guides are run, and print what the guides show;
// test/e2e/artifacts tells in the short one whether guides and artifacts differ.
package docs
