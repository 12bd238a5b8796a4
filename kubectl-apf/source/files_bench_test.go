package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

// BenchmarkFiles reads 1,000 flow schemas of one file.
func BenchmarkFiles(b *testing.B) {
	var documents, items []string
	for i := range 1000 {
		text := schemaYAML(fmt.Sprintf("schema-%d", i), "v1", "system") + `  matchingPrecedence: 500
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects:
    - {kind: ServiceAccount, serviceAccount: {name: "*", namespace: team}}
    resourceRules:
    - {verbs: [get, list, watch], apiGroups: [apps], resources: [deployments], namespaces: [team]}
`
		documents = append(documents, text)
		items = append(items, `{"metadata":{"name":"a"},"spec":{"priorityLevelConfiguration":{"name":"system"},"matchingPrecedence":500,"rules":[{"subjects":[`+
			`{"kind":"ServiceAccount","serviceAccount":{"name":"*","namespace":"team"}}],"resourceRules":[`+
			`{"verbs":["get","list","watch"],"apiGroups":["apps"],"resources":["deployments"],"namespaces":["team"]}]}]}}`)
	}
	for name, text := range map[string]string{
		"YAML": strings.Join(documents, "---\n"),
		"JSON": `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchemaList","items":[` + strings.Join(items, ",") + `]}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := source.New(source.Options{
					Offline: true, Files: resource.FilenameOptions{Filenames: []string{"-"}}, Stdin: strings.NewReader(text),
				})
				require.NoError(b, err)
				files, err := s.Files(b.Context())
				require.NoError(b, err)
				require.Len(b, files.Objects, 1000)
			}
		})
	}
}
