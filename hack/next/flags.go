package main

import (
	"context"
	"go/ast"
	"regexp"
)

// withFlags are the modules whose options this server has.
func withFlags(folders map[string]string) []string {
	return []string{folders["k8s.io/apiserver"], folders["k8s.io/component-base"]}
}

func (n *next) printFlags(context.Context) error {
	before, err := flags(withFlags(n.before))
	if err != nil {
		return err
	}
	after, err := flags(withFlags(n.after))
	if err == nil {
		printDifferences(n.out, before, after)
	}
	return err
}

// flags returns the flags that are defined below folders, "deprecated" if they are. A flag whose
// name has a prefix that a program chooses is not found.
func flags(folders []string) (map[string]string, error) {
	definition := regexp.MustCompile(`^([A-Z]\w*)?Var(P|PF)?$`)
	found := map[string]string{}
	err := inspect(folders, "Var", func(file *ast.File, node ast.Node) {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		if name := textOf(file, call.Args[1]); name != "" && len(call.Args) > 2 && definition.MatchString(method.Sel.Name) {
			found[name] += "" // it may be deprecated already
		}
		if name := textOf(file, call.Args[0]); name != "" && method.Sel.Name == "MarkDeprecated" {
			found[name] = "deprecated"
		}
	})
	return found, err
}
