// Package plugin proves that kubectl apf tells the truth: about a server beside that server's own
// metrics, headers and logs, and about the documents that show its output.
package plugin
