package main

import (
	"go/ast"
	"slices"
	"strings"
)

// isIdle reports whether no test needs to find a fault below node. Such a node
// affects only text for people, an impossible case, or time and memory. Calls
// of locks are left to the race detector.
func isIdle(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.FuncDecl:
		return slices.Contains([]string{"String", "GoString", "Error", "Unwrap"}, node.Name.Name)
	case *ast.CallExpr:
		return isIdleCall(node)
	case *ast.ExprStmt:
		return isIdle(node.X)
	case *ast.DeferStmt:
		receiver, name := calledName(node.Call.Fun)
		// An unstopped ticker or timer is collected as garbage.
		return isIdleCall(node.Call) || name == "Stop" && (receiver == "ticker" || receiver == "timer")
	case *ast.IfStmt:
		return node.Else == nil && isIdleBlock(node.Body)
	case *ast.ImportSpec, *ast.CommentGroup, *ast.ArrayType, *ast.Field:
		return true
	}
	return false
}

// isIdleBlock reports whether all statements of a block are idle.
func isIdleBlock(block *ast.BlockStmt) bool {
	for _, statement := range block.List {
		if expression, ok := statement.(*ast.ExprStmt); !ok || !isIdle(expression) {
			return false
		}
	}
	return len(block.List) > 0
}

func isIdleCall(call *ast.CallExpr) bool {
	receiver, name := calledName(call.Fun)
	switch receiver {
	case "klog", "slog", "log", "logger", "runtime":
		return true // KeepAlive, Gosched: affect only time and memory
	case "fmt":
		return name == "Errorf"
	case "errors":
		return name == "New"
	case "slices":
		return name == "Grow"
	}
	lower := strings.ToLower(receiver)
	switch name {
	case "panic", "make":
		return receiver == ""
	case "Info", "InfoS", "Error", "ErrorS", "Warning", "V", "WithValues", "WithName", "Enabled":
		return strings.Contains(lower, "log")
	case "Lock", "Unlock", "RLock", "RUnlock", "Grow":
		return true
	case "Put":
		return strings.Contains(lower, "pool") || strings.Contains(lower, "spare")
	}
	return false
}

// calledName returns the last name of a called expression and the name before
// it: for l.logger.V(4).Info, logger and Info.
func calledName(called ast.Expr) (receiver, name string) {
	switch called := called.(type) {
	case *ast.Ident:
		return "", called.Name
	case *ast.SelectorExpr:
		return receiverName(called.X), called.Sel.Name
	case *ast.IndexExpr:
		return calledName(called.X)
	}
	return "", ""
}

func receiverName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.CallExpr:
		receiver, name := calledName(x.Fun)
		if receiver == "" {
			return name
		}
		return receiver
	}
	return ""
}
