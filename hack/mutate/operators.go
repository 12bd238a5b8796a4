package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// findMutants returns all faults, by package.
func findMutants(t *tree) (map[*listed][]*mutant, error) {
	found := map[*listed][]*mutant{}
	for _, p := range t.packages {
		if !isMutated(p.folder()) {
			continue
		}
		for _, name := range p.GoFiles {
			if !isMutatedFile(name) {
				continue
			}
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			mutants, err := mutantsOf(p, p.folder()+"/"+name, source)
			if err != nil {
				return nil, err
			}
			if len(mutants) > 0 {
				found[p] = append(found[p], mutants...)
			}
		}
	}
	return found, nil
}

// finder collects the faults of one file.
type finder struct {
	template mutant
	set      *token.FileSet
	function *ast.FuncDecl // the current function
	found    []*mutant
}

func mutantsOf(p *listed, path string, source []byte) ([]*mutant, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	f := &finder{set: set, template: mutant{pkg: p, file: path, source: source}}
	for _, decl := range file.Decls {
		f.function, _ = decl.(*ast.FuncDecl)
		f.template.function = "package"
		if f.function != nil {
			f.template.function = f.function.Name.Name
			f.returnEarly()
		}
		ast.Inspect(decl, func(node ast.Node) bool {
			if node == nil || isIdle(node) {
				return false
			}
			f.visit(node)
			return true
		})
	}
	return f.found, nil
}

func (f *finder) offset(pos token.Pos) int { return f.set.Position(pos).Offset }

func (f *finder) text(node ast.Node) string {
	return string(f.template.source[f.offset(node.Pos()):f.offset(node.End())])
}

// replace records a fault that replaces the source from start to end.
func (f *finder) replace(kind string, start, end token.Pos, replacement string) {
	m := f.template
	m.kind, m.line, m.replacement = kind, f.set.Position(start).Line, replacement
	m.start, m.end = f.offset(start), f.offset(end)
	f.found = append(f.found, &m)
}

func (f *finder) visit(node ast.Node) {
	switch node := node.(type) {
	case *ast.IfStmt:
		f.replace("condition negated", node.Cond.Pos(), node.Cond.End(), "!("+f.text(node.Cond)+")")
	case *ast.BinaryExpr:
		f.operator(node)
	case *ast.BasicLit:
		if n, err := strconv.ParseInt(node.Value, 0, 62); err == nil && node.Kind == token.INT {
			f.replace("constant changed by one", node.Pos(), node.End(), strconv.FormatInt(n+1, 10))
		}
	case *ast.BlockStmt:
		for _, statement := range node.List {
			f.drop(statement)
		}
	case *ast.CaseClause:
		for _, statement := range node.Body {
			f.drop(statement)
		}
	}
}

// operator replaces an operator by a commonly confused one.
func (f *finder) operator(node *ast.BinaryExpr) {
	for kind, swaps := range map[string]map[token.Token]token.Token{
		"boundary moved":      {token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR},
		"equality turned":     {token.EQL: token.NEQ, token.NEQ: token.EQL},
		"arithmetic replaced": {token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL},
		"&& and || swapped":   {token.LAND: token.LOR, token.LOR: token.LAND},
	} {
		if other, swapped := swaps[node.Op]; swapped {
			f.replace(kind, node.OpPos, node.OpPos+token.Pos(len(node.Op.String())), other.String())
		}
	}
}

// drop removes a statement that has an effect. It keeps declarations of
// variables, because the code would not compile without them.
func (f *finder) drop(statement ast.Stmt) {
	switch s := statement.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || f.text(s.Lhs[0]) == "_" {
			return
		}
	default:
		return
	}
	if !isIdle(statement) {
		f.replace("statement left out", statement.Pos(), statement.End(), "")
	}
}

// returnEarly makes a function return zero values at once.
func (f *finder) returnEarly() {
	body := f.function.Body
	if body == nil || len(body.List) < 2 || isIdle(f.function) {
		return
	}
	var zeros []string
	if results := f.function.Type.Results; results != nil {
		for _, field := range results.List {
			for range max(1, len(field.Names)) {
				zeros = append(zeros, "*new("+f.text(field.Type)+")")
			}
		}
	}
	f.replace("returns at once", body.Lbrace+1, body.Lbrace+1, strings.TrimRight("\n\treturn "+strings.Join(zeros, ", "), " "))
}
