// Package k9s drives k9s in a terminal against a server alone, and reads off the screen what
// its user would see.
package k9s
