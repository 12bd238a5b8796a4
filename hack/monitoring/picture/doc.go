// Package picture draws the panels of the dashboard as one SVG file, with the queries that
// Grafana sends and the answers of a Prometheus. It is for documents, where no Grafana is.
package picture
