package repo

import (
	"go/ast"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// portZero finds addresses with port 0, and listeners on the address of another
// listener. Syntax does not show whether an address is used after its listener
// is closed, so only test/ports and net/http/httptest may use port 0. A program
// that listens on port 0 because of a flag keeps its port and is allowed.
func portZero(file goFile) (faults []string) {
	if file.folder == "test/ports" {
		return nil
	}
	const right = ": the kernel gives the port to somebody else once its listener is closed: take ports.Free or ports.Listen (test/ports), or httptest.NewServer"
	zero := regexp.MustCompile(`^(127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\])?:0$`)
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); err == nil && zero.MatchString(text) {
				faults = append(faults, file.at(node.Pos())+": port 0"+right)
			}
		case *ast.CallExpr:
			if listens(file, node) && mentionsAddr(node) {
				faults = append(faults, file.at(node.Pos())+": an address that another listener had"+right)
			}
		}
		return true
	})
	return faults
}

// listens reports whether a call is one of net.Listen and similar functions.
func listens(file goFile, call *ast.CallExpr) bool {
	return strings.HasPrefix(file.selected(call.Fun, "net"), "Listen")
}

// mentionsAddr reports whether an argument is the address of a listener.
func mentionsAddr(call *ast.CallExpr) (found bool) {
	for _, argument := range call.Args {
		ast.Inspect(argument, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			found = found || ok && selector.Sel.Name == "Addr"
			return true
		})
	}
	return found
}

func TestPortZeroIsFound(t *testing.T) {
	checkExamples(t, portZero, []example{
		{"a listener on port 0", `import "net"; func f() { net.Listen("tcp", "127.0.0.1:0") }`, 1},
		{"by the name of the loopback", `var address = "localhost:0"`, 1},
		{"on all interfaces", "var address = `:0`", 1},
		{"a port that was another listener's", `import "net"; func f() { net.Listen("tcp", old.Addr().String()) }`, 1},
		{"a port of the test's own", `import "net"; func f() { net.Listen("tcp", ports.Loopback(port)) }`, 0},
		{"a program's flag", `var flag = "--listen=127.0.0.1:0"`, 0},
		{"another port", `var address = "127.0.0.1:80"`, 0},
	})
}
