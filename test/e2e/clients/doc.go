// Package clients runs clients that others wrote against this server alone. Each creates,
// lists, watches, patches, applies and deletes a FlowSchema and its level, as its users do.
package clients
