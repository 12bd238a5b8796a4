// Package judges lets tools of others judge this project's server beside kube-apiserver: of HTTP,
// TLS, slow clients and thousands of nodes. The long lane runs it; docs/evidence/judges.md tells what they said.
package judges
