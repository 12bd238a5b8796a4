package mixin

import "strings"

func replaceWindow(expression, window string) string {
	return strings.ReplaceAll(expression, "$w", window)
}

// reviews returns an expression for both kinds of reviews, told apart by the label review.
func reviews(expression string) string {
	var kinds []string
	for _, kind := range []struct{ metric, label string }{{"authn", "token"}, {"authz", "access"}} {
		one := strings.TrimSpace(strings.ReplaceAll(expression, "$review", kind.metric))
		kinds = append(kinds, "label_replace(\n"+one+",\n\"review\", \""+kind.label+"\", \"\", \"\")")
	}
	return strings.Join(kinds, "\nor\n")
}
