// Package certmanager imports cert-manager, so that go.mod keeps its release.
// Only files of the module are used; nothing of it is compiled.
package certmanager

import _ "github.com/cert-manager/cert-manager/pkg/apis/certmanager"
