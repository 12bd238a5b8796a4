// Package logs finds audit events and log lines of API servers within whatever carried
// them: a container runtime, kubectl, journald, a log pipeline, a cloud.
//
// # What is found
//
//   - audit events: audit.k8s.io Events, of an EventList too;
//   - request lines: what httplog of k8s.io/apiserver writes from -v=3 on, as klog's text
//     or JSON;
//   - other lines, so that a reader can say what it left out.
//
// # Where it is found
//
// A prefix may be anything: a time (kubectl logs --timestamps), a pod (kubectl logs
// --prefix, stern), a node (oc adm node-logs), journald's short form. The search is for the
// entry, not for the prefix. Only prefixes and envelopes that divide a line are known by
// their form: CRI's P and F, Docker's json-file, Fluent Bit's logtag.
//
// Other JSON is searched for the entry, in its order of keys, and in all elements of its
// arrays: AKS (properties.log), CloudWatch (message), Cloud Logging (jsonPayload,
// textPayload), Loki, Vector, journald. Of one object the first field with an entry counts,
// so that a pipeline that keeps the original beside the parsed line counts once. A CSV
// export is read by its quotation marks.
//
// Google Kubernetes Engine writes no audit events, but entries of Cloud Logging with a
// protoPayload. Each becomes an event of what it has: user, verb, path, status, address, user
// agent and time, without the user's groups and the end of the request.
//
// JSON may be indented, and a whole file may be one array. Mixed forms in a file are fine.
//
// # Memory
//
// An entry has up to 16 MiB; a longer one is reported, and left out. Arrays of any length
// are read element by element.
package logs
