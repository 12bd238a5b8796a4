//go:build long

package alone

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// kubectlUser is a user of one release of kubectl, in one version of the API.
type kubectlUser struct {
	*harness.Kubectl
	s *clientsSite
	// path is the program's.
	path string
	// minor is the release's: 1.MINOR.
	minor int
	name  string
	// version is the API's.
	version string
}

// kubectl runs a release with both versions of the API. The table has what works with both.
func kubectl(minor int) runFunc {
	return func(t *testing.T, s *clientsSite, name string) outcome {
		path, module := kubectlProgram(t, name)
		var shown outcome
		for _, version := range []string{"v1beta3", "v1"} {
			t.Run(version, func(t *testing.T) {
				check := s.follow(t, name)
				u := &kubectlUser{harness.KubectlAt(t, path, s.Kubeconfig), s, path, minor, name, version}
				shown = u.steps(t)
				check(t)
			})
		}
		shown.version = module
		return shown
	}
}

// kubectlProgram returns the program and its version, which it also reports.
func kubectlProgram(t *testing.T, name string) (path, version string) {
	t.Helper()
	build := binaries.Kubectl
	if slices.Contains(binaries.Clients(), name) {
		build = func(ctx context.Context) (string, error) { return binaries.Client(ctx, name) }
	}
	path = harness.Program(t, build)
	return path, "1" + strings.TrimPrefix(moduleVersion(t, path, "k8s.io/kubectl"), "0")
}

// manifest returns the level and the FlowSchema.
func (u *kubectlUser) manifest(t *testing.T, precedence string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "objects.yaml"))
	require.NoError(t, err)
	return strings.NewReplacer("NAME", u.name, "VERSION", u.version, "PRECEDENCE", precedence).Replace(string(content))
}

// schemas and levels name the resources in the version, as arguments.
func (u *kubectlUser) schemas() string {
	return "flowschemas." + u.version + ".flowcontrol.apiserver.k8s.io"
}

func (u *kubectlUser) levels() string {
	return "prioritylevelconfigurations." + u.version + ".flowcontrol.apiserver.k8s.io"
}

// kubectlStep is a step, of releases from 1.SINCE on.
type kubectlStep struct {
	what  string
	since int
	run   func(*testing.T, *kubectlUser)
}

func (u *kubectlUser) steps(t *testing.T) outcome {
	t.Helper()
	var shown outcome
	for _, step := range kubectlSteps() {
		if u.minor < step.since {
			continue
		}
		if t.Run(step.what, func(t *testing.T) { step.run(t, u) }) {
			shown.works = append(shown.works, step.what)
		}
	}
	t.Run("apply --prune", func(t *testing.T) { shown.needs = append(shown.needs, u.prune(t)) })
	t.Run("api-resources", func(t *testing.T) {
		if word := u.apiResources(t); word != "" {
			shown.needs = append(shown.needs, word)
		} else {
			shown.works = append(shown.works, "`api-resources`")
		}
	})
	u.RunInput(t, u.manifest(t, "700"), "delete", "-f", "-")
	return shown
}

// kubectlSteps returns what administrators do. They leave the object as the next needs it.
func kubectlSteps() []kubectlStep {
	return []kubectlStep{
		{what: "`create`", run: func(t *testing.T, u *kubectlUser) {
			u.RunInput(t, u.manifest(t, "500"), "create", "--save-config", "-f", "-")
		}},
		{what: "`get`", run: testGet},
		{what: "`get --watch`", run: testGetWatch},
		{what: "`describe`", run: func(t *testing.T, u *kubectlUser) {
			require.Contains(t, u.Run(t, "describe", u.schemas(), u.name), "Matching Precedence:")
		}},
		{what: "`explain`", run: func(t *testing.T, u *kubectlUser) {
			require.Contains(t, u.Run(t, "explain", "flowschemas.spec.matchingPrecedence", "--api-version=flowcontrol.apiserver.k8s.io/"+u.version), "[1,10000]")
		}},
		{what: "`auth can-i`", run: func(t *testing.T, u *kubectlUser) {
			require.Equal(t, "yes\n", u.Run(t, "auth", "can-i", "delete", u.schemas()))
		}},
		{what: "`auth whoami`", since: 28, run: func(t *testing.T, u *kubectlUser) {
			require.Contains(t, u.Run(t, "auth", "whoami"), "system:masters")
		}},
		{what: "`wait`", run: testWait},
		{what: "`--dry-run`", run: testDryRun},
		{what: "`edit`", run: testEdit},
		{what: "`patch`", run: testPatch},
		{what: "`label`, `annotate`", run: func(t *testing.T, u *kubectlUser) {
			u.Run(t, "label", u.schemas(), u.name, "tier=one")
			u.Run(t, "annotate", u.schemas(), u.name, "tier=one")
			require.Contains(t, u.Run(t, "get", u.schemas(), "-l", "tier=one"), u.name)
		}},
		{what: "`apply`", run: testApply},
		{what: "`diff`", run: testDiff},
		{what: "`apply --server-side`", run: func(t *testing.T, u *kubectlUser) {
			u.RunInput(t, u.manifest(t, "700"), "apply", "--server-side", "--force-conflicts", "-f", "-")
			u.has(t, "700")
		}},
		{what: "`replace`", run: func(t *testing.T, u *kubectlUser) {
			u.RunInput(t, u.manifest(t, "700"), "replace", "-f", "-")
		}},
		{what: "`delete` with each `--cascade`", run: testCascade},
		// Older releases take what is gone for an error.
		{what: "`wait --for=delete`", since: 24, run: func(t *testing.T, u *kubectlUser) {
			u.Run(t, "wait", "--for=delete", u.schemas()+"/"+u.name+"-other")
		}},
	}
}

// has requires the FlowSchema's matching precedence.
func (u *kubectlUser) has(t *testing.T, precedence string) {
	t.Helper()
	require.Equal(t, precedence, u.Run(t, "get", u.schemas(), u.name, "-o", "jsonpath={.spec.matchingPrecedence}"))
}

func testGet(t *testing.T, u *kubectlUser) {
	u.has(t, "500")
	require.Contains(t, u.Run(t, "get", u.schemas()), u.name)
	require.Contains(t, u.Run(t, "get", u.schemas(), "-l", "client="+u.name, "-o", "yaml"), "apiVersion: flowcontrol.apiserver.k8s.io/"+u.version)
	require.Contains(t, u.Run(t, "get", u.levels(), u.name, "-o", "wide"), "Limited")
}

func testGetWatch(t *testing.T, u *kubectlUser) {
	watch := u.Start(t, "get", u.schemas(), "--watch", "--field-selector=metadata.name="+u.name)
	eventually.Holds(t, "the watch shows the object", func(a *eventually.Attempt) {
		require.Contains(a, watch.Output(), u.name)
	})
	watch.Stop(t)
}

// testWait runs kubectl once there is a condition: it fails on an object without any.
func testWait(t *testing.T, u *kubectlUser) {
	eventually.Holds(t, "the object has a condition", func(a *eventually.Attempt) {
		object, err := u.s.resource("flowschemas").Get(a.Context(), u.name, metav1.GetOptions{})
		require.NoError(a, err)
		conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
		require.NoError(a, err)
		require.NotEmpty(a, conditions)
	})
	u.Run(t, "wait", "--for=condition=Dangling=False", u.schemas(), u.name)
}

func testDryRun(t *testing.T, u *kubectlUser) {
	for _, where := range []string{"client", "server"} {
		u.RunInput(t, u.manifest(t, "700"), "apply", "--dry-run="+where, "-f", "-")
		u.Run(t, "delete", u.schemas(), u.name, "--dry-run="+where)
	}
	u.RunInput(t, u.manifest(t, "700"), "apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-")
	u.has(t, "500")
}

// testEdit edits both objects at once, with a program that needs no terminal.
func testEdit(t *testing.T, u *kubectlUser) {
	t.Setenv("KUBE_EDITOR", "sed -i 's/matchingPrecedence: 500/matchingPrecedence: 600/'")
	u.Run(t, "edit", u.schemas()+"/"+u.name, u.levels()+"/"+u.name)
	u.has(t, "600")
}

func testPatch(t *testing.T, u *kubectlUser) {
	u.Run(t, "patch", u.schemas(), u.name, "--type=merge", `--patch={"spec":{"matchingPrecedence":600}}`)
	u.Run(t, "patch", u.schemas(), u.name, "--type=json", `--patch=[{"op":"replace","path":"/spec/matchingPrecedence","value":600}]`)
	u.has(t, "600")
}

func testApply(t *testing.T, u *kubectlUser) {
	u.RunInput(t, u.manifest(t, "700"), "apply", "-f", "-")
	u.has(t, "700")
	require.Contains(t, u.RunInput(t, u.manifest(t, "700"), "apply", "-f", "-"), "unchanged")
}

func testDiff(t *testing.T, u *kubectlUser) {
	require.Zero(t, u.Try(t, u.manifest(t, "700"), "diff", "-f", "-").ExitCode)
	differs := u.Try(t, u.manifest(t, "800"), "diff", "-f", "-")
	require.Equal(t, 1, differs.ExitCode, differs.Stderr)
	require.Contains(t, differs.Stdout, "+  matchingPrecedence: 800")
}

// testCascade deletes other objects than the watched one, and waits for their end.
func testCascade(t *testing.T, u *kubectlUser) {
	other := *u
	other.name += "-other"
	for _, cascade := range []string{"background", "orphan", "foreground"} {
		u.RunInput(t, other.manifest(t, "500"), "create", "-f", "-")
		u.Run(t, "delete", u.schemas(), other.name, "--cascade="+cascade, "--timeout=1m")
		u.Run(t, "delete", u.levels(), other.name, "--cascade="+cascade, "--timeout=1m")
		for _, resource := range []string{u.schemas(), u.levels()} {
			gone := u.Try(t, "", "get", resource, other.name)
			require.Contains(t, gone.Stderr, "NotFound", cascade)
		}
	}
}

// apiResources lists what there is. kubectl 1.29 knows only the beta of aggregated discovery,
// which kube-apiserver 1.33 no longer serves either. It then asks for each version, and takes
// it for an error that the core has a version and no resources.
func (u *kubectlUser) apiResources(t *testing.T) (word string) {
	t.Helper()
	list := []string{"api-resources", "--api-group=flowcontrol.apiserver.k8s.io"}
	listed := u.Try(t, "", list...)
	require.Contains(t, listed.Stdout, "FlowSchema")
	if u.minor != 29 {
		require.Zero(t, listed.ExitCode, listed.Stderr)
		return ""
	}
	require.Contains(t, listed.Stderr, "received empty response for: v1")
	const flag = "--feature-gates=AggregatedDiscoveryRemoveBetaType=false"
	server := harness.StartServer(t, harness.ServerOptions{Args: []string{flag}})
	harness.KubectlAt(t, u.path, server.Kubeconfig).Run(t, list...)
	return "`api-resources`: the server's `" + flag + "`, without which it lists all and ends with 1"
}

// prune requires that pruning asks for kinds of the core, which this server does not serve,
// and works with a list of its kinds.
func (u *kubectlUser) prune(t *testing.T) string {
	t.Helper()
	flag := "--prune-allowlist"
	if u.minor < 26 {
		flag = "--prune-whitelist"
	}
	gone := *u
	gone.name += "-pruned"
	labeled := strings.ReplaceAll(gone.manifest(t, "500"), "client: "+gone.name, "client: "+u.name)
	u.RunInput(t, labeled, "apply", "-f", "-")

	prune := []string{"apply", "--prune", "--selector=client=" + u.name, "-f", "-"}
	failed := u.Try(t, u.manifest(t, "700"), prune...)
	require.NotZero(t, failed.ExitCode)
	require.Contains(t, failed.Stderr, "no matches for kind")
	const group = "=flowcontrol.apiserver.k8s.io/"
	u.RunInput(t, u.manifest(t, "700"), append(prune, flag+group+u.version+"/FlowSchema", flag+group+u.version+"/PriorityLevelConfiguration")...)
	for _, resource := range []string{u.schemas(), u.levels()} {
		require.Contains(t, u.Try(t, "", "get", resource, gone.name).Stderr, "NotFound")
		u.Run(t, "get", resource, u.name)
	}
	return "`apply --prune`: `" + flag + "`"
}
