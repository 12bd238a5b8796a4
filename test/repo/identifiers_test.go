package repo

import (
	"fmt"
	"go/ast"
	"regexp"
	"testing"
)

// foreignWords matches parts of identifiers for which the glossary in CONTRIBUTING has another word.
func foreignWords() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(upstream|control_?plane|refus|^takers?$)`)
}

func TestIdentifiersHaveWordsOfTheGlossary(t *testing.T) {
	for _, file := range goFiles(t) {
		for _, fault := range foreignIdentifiers(file) {
			t.Errorf("%s: name it by the word of the glossary: CONTRIBUTING.md, Words", fault)
		}
	}
}

// foreignIdentifiers returns the position and the name of each identifier with a foreign word. A
// name that is selected is declared elsewhere, perhaps in another project.
func foreignIdentifiers(file goFile) (found []string) {
	if file.generated {
		return nil
	}
	pattern, selected := foreignWords(), map[*ast.Ident]bool{}
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			selected[node.Sel] = true
		case *ast.Ident:
			if !selected[node] && pattern.MatchString(node.Name) {
				found = append(found, fmt.Sprintf("%s: %s", file.positions.Position(node.Pos()), node.Name))
			}
		}
		return true
	})
	return found
}

func TestForeignWordsAreFoundInIdentifiers(t *testing.T) {
	checkExamples(t, foreignIdentifiers, []example{
		{"a function", "func connectControl" + "Plane() {}", 1},
		{"a field and its use in a literal", "type s struct{ up" + "streamClient int }; var _ = s{up" + "streamClient: 1}", 2},
		{"a name of another project", "import \"syscall\"; var _ = syscall.ECONNREF" + "USED", 0},
		{"a text", `var _ = "flowcontrol_apiserver_up` + `stream_check_passing"`, 0},
	})
}
