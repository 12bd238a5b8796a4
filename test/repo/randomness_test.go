package repo

import (
	"go/ast"
	"slices"
	"testing"
)

// unseeded finds random choices that cannot be repeated: functions of a package
// that seeds itself, and sources that are seeded with the time. pkg/apf/test/lane is
// exempt because it chooses the seed, and test/ports because it must differ
// between processes.
func unseeded(file goFile) (faults []string) {
	if file.folder == "pkg/apf/test/lane" || file.folder == "test/ports" {
		return nil
	}
	const right = ": no run can repeat this choice: use rand.New(rand.NewPCG(lane.Seed(t), 0)) (pkg/apf/test/lane)"
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if ok && choosesByItself(file, selector) {
			faults = append(faults, file.at(node.Pos())+": "+selector.Sel.Name+right)
		}
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		if makesSource(file, call) && slices.ContainsFunc(call.Args, func(seed ast.Expr) bool { return mentionsTime(file, seed) }) {
			faults = append(faults, file.at(node.Pos())+": a seed of the time"+right)
		}
		return true
	})
	return faults
}

// choosesByItself reports whether a selector is a function of an unseeded
// global source.
func choosesByItself(file goFile, selector *ast.SelectorExpr) bool {
	seeded := []string{"New", "NewSource", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}
	for _, pkg := range []string{"math/rand", "math/rand/v2"} {
		if name := file.selected(selector, pkg); name != "" && !slices.Contains(seeded, name) {
			return true
		}
	}
	return slices.Contains([]string{"New"}, file.selected(selector, "sigs.k8s.io/randfill")) ||
		slices.Contains([]string{"Check", "CheckEqual"}, file.selected(selector, "testing/quick")) ||
		!slices.Contains([]string{"", "SafeEncodeString"}, file.selected(selector, "k8s.io/apimachinery/pkg/util/rand"))
}

// makesSource reports whether a call creates a source of random numbers.
func makesSource(file goFile, call *ast.CallExpr) bool {
	sources := []string{"NewSource", "NewPCG", "NewChaCha8"}
	return slices.Contains(sources, file.selected(call.Fun, "math/rand")) ||
		slices.Contains(sources, file.selected(call.Fun, "math/rand/v2")) ||
		file.selected(call.Fun, "sigs.k8s.io/randfill") == "NewWithSeed"
}

// mentionsTime reports whether an expression reads the time.
func mentionsTime(file goFile, expr ast.Expr) (found bool) {
	ast.Inspect(expr, func(node ast.Node) bool {
		found = found || slices.Contains([]string{"Now", "Since", "Until"}, file.selected(node, "time"))
		return true
	})
	return found
}

func TestRandomnessWithoutASeedIsFound(t *testing.T) {
	checkExamples(t, unseeded, []example{
		{"a choice of the package", `import "math/rand/v2"; var n = rand.IntN(4)`, 1},
		{"of the older package", `import "math/rand"; var n = rand.Intn(4)`, 1},
		{"under another name", `import mrand "math/rand/v2"; func f() { mrand.Shuffle(2, swap) }`, 1},
		{"of Kubernetes' package", `import "k8s.io/apimachinery/pkg/util/rand"; var name = rand.String(5)`, 1},
		{"testing/quick's own", `import "testing/quick"; var err = quick.Check(f, nil)`, 1},
		{"a seed of the time", `import ("math/rand"; "time"); var r = rand.New(rand.NewSource(time.Now().UnixNano()))`, 1},
		{"a seed that is itself chosen", `import "math/rand/v2"; var r = rand.New(rand.NewPCG(rand.Uint64(), 0))`, 1},
		{"a seed of the lane", `import "math/rand/v2"; var r = rand.New(rand.NewPCG(lane.Seed(t), 0))`, 0},
		{"a fixed seed", `import "math/rand"; var r = rand.New(rand.NewSource(1))`, 0},
		{"a choice of a seeded source", `import "math/rand/v2"; func f(random *rand.Rand) { random.IntN(4) }`, 0},
		{"keys", `import "crypto/rand"; func f() { rand.Read(key) }`, 0},
	})
}
