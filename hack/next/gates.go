package main

import (
	"context"
	"go/ast"
	"slices"
	"strings"
)

// withGates are the modules whose feature gates this server has.
func withGates(folders map[string]string) []string {
	return []string{folders["k8s.io/apiserver"], folders["k8s.io/client-go"], folders["k8s.io/component-base"]}
}

func (n *next) printGates(context.Context) error {
	before, err := gates(withGates(n.before))
	if err != nil {
		return err
	}
	after, err := gates(withGates(n.after))
	if err == nil {
		printDifferences(n.out, before, after)
	}
	return err
}

// gates returns the feature gates that are defined below folders, such as "Beta, on". Their maps
// list the specifications of a gate by version, the newest last, or have one.
func gates(folders []string) (map[string]string, error) {
	found := map[string]string{}
	err := inspect(folders, "PreRelease:", func(file *ast.File, node ast.Node) {
		table, ok := node.(*ast.CompositeLit)
		if !ok {
			return
		}
		kind, ok := table.Type.(*ast.MapType)
		if !ok || !strings.HasSuffix(lastName(kind.Value), "Specs") && !strings.HasSuffix(lastName(kind.Value), "Spec") {
			return
		}
		for _, element := range table.Elts {
			entry, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			name := textOf(file, entry.Key)
			if name == "" {
				name = lastName(entry.Key) // a constant of another file is named as its gate
			}
			if spec, ok := entry.Value.(*ast.CompositeLit); ok {
				found[name] = describeGate(spec)
			}
		}
	})
	return found, err
}

// describeGate describes a specification, or the last of several.
func describeGate(spec *ast.CompositeLit) string {
	fields := map[string]string{"Default": "false"}
	for _, element := range slices.Backward(spec.Elts) {
		switch e := element.(type) {
		case *ast.CompositeLit:
			return describeGate(e)
		case *ast.KeyValueExpr:
			fields[lastName(e.Key)] = lastName(e.Value)
		}
	}
	text := fields["PreRelease"] + map[string]string{"true": ", on", "false": ", off"}[fields["Default"]]
	if fields["LockToDefault"] == "true" {
		text += ", locked"
	}
	return text
}

// lastName is the name in an expression, without its package.
func lastName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
