package filter

import "k8s.io/klog/v2"

// logVerbosity is the verbosity at which httplog logs requests.
const logVerbosity = 3

// isLogged reports whether httplog logs requests. It is cheaper than
// httplog.AddKeyValue, which looks into the context (BenchmarkFilter).
//
// --vmodule sets the verbosity of source files by their names. This file has the name of
// the one that logs requests in k8s.io/apiserver/pkg/server/httplog, so that every
// pattern applies to both.
func isLogged() bool { return klog.V(logVerbosity).Enabled() }
