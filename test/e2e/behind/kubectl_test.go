package behind

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// manifest returns a FlowSchema with matchingPrecedence 500.
func manifest(version, name string) string {
	return `{"apiVersion": "` + group + `/` + version + `", "kind": "FlowSchema", "metadata": {"name": "` + name + `"},
		"spec": {"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": "workload-low"}, "distinguisherMethod": {"type": "ByUser"},
		"rules": [{"subjects": [{"kind": "User", "user": {"name": "` + name + `"}}], "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/healthz"]}]}]}}`
}

// testKubectl writes in one version, and gets and watches the changes in the
// other.
func testKubectl(t *testing.T, s *site, version, other string) {
	name := "kubectl-" + version
	resource, kubectl := qualified(version), s.kubectl
	watched := kubectl.Start(t, "get", qualified(other), "--watch", "-o", "custom-columns=NAME:.metadata.name,PRECEDENCE:.spec.matchingPrecedence")
	require.NoError(t, watched.WaitOutput(t.Context(), "catch-all"))
	sees := func(precedence string) {
		t.Helper()
		require.Equal(t, precedence, kubectl.Run(t, "get", qualified(other), name, "-o", "jsonpath={.spec.matchingPrecedence}"))
		line := regexp.MustCompile(name + " +" + precedence + `\n`)
		eventually.Holds(t, "the watch shows "+precedence, func(a *eventually.Attempt) {
			require.Regexp(a, line, watched.Output())
		})
	}

	// kubectl explain takes its discovery from a cache, which may be from before kube-apiserver
	// discovered the group again.
	explain := func() harness.Result {
		return kubectl.Try(t, "", "explain", "flowschemas.spec.rules", "--recursive", "--api-version="+group+"/"+version)
	}
	eventually.Holds(t, "kubectl explains the resource", func(a *eventually.Attempt) {
		explained := explain()
		require.Contains(a, explained.Stdout, "nonResourceURLs", explained.Stderr)
	})
	kubectl.RunInput(t, manifest(version, name), "apply", "-f", "-")
	s.waitCondition(t, schemas(version), name, "Dangling", "False") // kubectl wait needs an existing condition
	kubectl.Run(t, "wait", resource+"/"+name, "--for=condition=Dangling=False", "--timeout=2m")
	sees("500")
	require.Regexp(t, `(?m)^NAME +PRIORITYLEVEL +MATCHINGPRECEDENCE +DISTINGUISHERMETHOD +AGE +MISSINGPL\n`+name+` +workload-low +500 +ByUser +[\dms]+ +False$`,
		kubectl.Run(t, "get", resource, name))

	changed := strings.Replace(manifest(version, name), "500", "600", 1)
	difference := kubectl.Try(t, changed, "diff", "-f", "-")
	require.Equal(t, 1, difference.ExitCode, difference.Stderr)
	require.Contains(t, difference.Stdout, "+  matchingPrecedence: 600")
	if !s.forgetsOwners(version) {
		conflict := kubectl.Try(t, changed, "apply", "--server-side", "--field-manager=another", "-f", "-")
		require.Contains(t, conflict.Stderr, ".spec.matchingPrecedence")
	}
	kubectl.RunInput(t, changed, "apply", "--server-side", "--field-manager=another", "--force-conflicts", "-f", "-")
	sees("600")

	t.Setenv("KUBE_EDITOR", "sed -i 's/matchingPrecedence: 600/matchingPrecedence: 700/'") // a UID may contain 600 too
	kubectl.Run(t, "edit", resource, name)
	sees("700")
	kubectl.Run(t, "patch", resource, name, "--type=merge", "-p", `{"spec": {"matchingPrecedence": 800}}`)
	sees("800")

	gone := kubectl.Start(t, "wait", "--for=delete", qualified(other)+"/"+name, "--timeout=2m")
	kubectl.Run(t, "delete", resource, name)
	code, err := gone.ExitCode(t.Context())
	require.NoError(t, err)
	require.Zero(t, code, gone.Output())
	require.Contains(t, kubectl.Try(t, "", "get", qualified(other), name).Stderr, "NotFound")
}

// testGarbageCollector deletes with the finalizers of the garbage collector, which runs in
// kube-controller-manager: kubectl waits until the object is gone.
func testGarbageCollector(t *testing.T, s *site) {
	for _, version := range []string{"v1", "v1beta3"} {
		for _, policy := range []string{"foreground", "orphan"} {
			s.kubectl.RunInput(t, manifest(version, "collected"), "apply", "-f", "-")
			if slices.Contains(s.ours, version) {
				dry := s.kubectl.Run(t, "delete", "--raw", path(version, "collected")+"?dryRun=All&propagationPolicy="+strings.ToUpper(policy[:1])+policy[1:])
				require.Contains(t, dry, policy, "the finalizer is set")
			}
			s.kubectl.Run(t, "delete", qualified(version), "collected", "--cascade="+policy, "--timeout=2m")
		}
	}
}

// forgetsOwners reports whether kube-apiserver drops managed fields that were
// recorded in this version. In a shared store it does so when it writes an object,
// because it knows only the versions that it serves.
func (s *site) forgetsOwners(version string) bool {
	return version == "v1beta3" && !slices.Contains(s.ours, "v1")
}
