// Package certmanager names cert-manager, so that go.mod keeps its release. Nothing
// of it is compiled: what is needed are files in its module.
package certmanager

import _ "github.com/cert-manager/cert-manager/pkg/apis/certmanager"
