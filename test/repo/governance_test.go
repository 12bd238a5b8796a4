package repo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// accountsOf returns the accounts of GitHub in a text, as @name or @organization/team, without those in comments.
func accountsOf(text string) []string {
	text = regexp.MustCompile(`(?m)^#.*`).ReplaceAllString(text, "")
	return regexp.MustCompile(`(?:^|[\s|])(@[\w-]+(?:/[\w-]+)?)`).FindAllString(text, -1)
}

// unknownOwners returns the owners in a file CODEOWNERS that the table of maintainers does not name.
// A team is never known, since the table names people.
func unknownOwners(owners, maintainers string) (unknown []string) {
	known := map[string]bool{}
	for _, account := range accountsOf(maintainers) {
		known[strings.Trim(account, " |\n")] = true
	}
	for _, owner := range accountsOf(owners) {
		if owner = strings.TrimSpace(owner); !known[owner] || strings.Contains(owner, "/") {
			unknown = append(unknown, owner)
		}
	}
	return unknown
}

func TestCodeOwnersAreMaintainers(t *testing.T) {
	const maintainers = "| account | area |\n|---|---|\n| @ada | everything |\n| @org/team | |\n"
	assert.Empty(t, unknownOwners("# @nobody\n* @ada\n", maintainers))
	assert.Equal(t, []string{"@grace", "@org/team"}, unknownOwners("* @ada @grace\n/pkg/ @org/team\n", maintainers))

	assert.Empty(t, unknownOwners(fileText(t, ".github/CODEOWNERS"), fileText(t, "MAINTAINERS.md")),
		".github/CODEOWNERS: add the owner to MAINTAINERS.md, or remove it")
}

// basesOf returns the release of k8s.io and the etcd of each row of hack/base.sh. The first row is go.mod.
func basesOf(t *testing.T) [][]string {
	t.Helper()
	script, module := fileText(t, "hack/base.sh"), fileText(t, "go.mod")
	first := regexp.MustCompile(`(?m)^0\.\d+ \| (0\.\d+\.\d+)\) exit ;;`).FindStringSubmatch(script)
	etcd := regexp.MustCompile(`(?m)^\s*go\.etcd\.io/etcd/server/v3 v(\S+)`).FindStringSubmatch(module)
	require.NotNil(t, first)
	require.NotNil(t, etcd)
	require.Regexp(t, `(?m)^\s*k8s\.io/apiserver v`+regexp.QuoteMeta(first[1])+`$`, module)
	bases := [][]string{{first[1], etcd[1]}}
	for _, row := range regexp.MustCompile(`(?m)^0\.\d+\) release=(\S+) etcd=(\S+) ;;`).FindAllStringSubmatch(script, -1) {
		bases = append(bases, row[1:])
	}
	return bases
}

func TestReleasePageHasTheReleasesOfBase(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| 1\\.(\\d+) \\| (0\\.\\d+)(\\.\\d+) \\| (\\S+) \\| (yes|no) \\| `make build(?: K8S=(\\S+))?` \\|$").FindAllStringSubmatch(fileText(t, "docs/releases.md"), -1)
	var page [][]string
	for i, row := range rows {
		page = append(page, []string{row[2] + row[3], row[4]})
		assert.Equal(t, "0."+row[1], row[2])
		if i == 0 {
			assert.Equal(t, "yes", row[5])
			assert.Empty(t, row[6], "the base is built without K8S")
		} else {
			assert.Equal(t, "no", row[5])
			assert.Equal(t, row[2], row[6])
		}
	}
	assert.Equal(t, basesOf(t), page, "docs/releases.md, Which releases of Kubernetes: take the rows of hack/base.sh")
}
