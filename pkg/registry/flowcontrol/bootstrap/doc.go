// Package bootstrap keeps the built-in FlowSchemas and
// PriorityLevelConfigurations that every server of the group is born with.
//
// A pass reads each kind once, brings the built-in objects in order, levels
// before schemas, and then deletes what a former release left over:
//
//   - a built-in object that is absent is created;
//   - a mandatory object gets its spec back if it differs. Nothing else can
//     own it; only what the level exempt gets and lends is the user's to say;
//   - a suggested object gets its spec back if the server owns the spec. The
//     annotation apf.kubernetes.io/autoupdate-spec says so; where it is absent
//     or no boolean, the server owns what nobody changed since it was made
//     (metadata.generation 1);
//   - in both cases the annotation is made to say who owns the spec;
//   - an object that is neither mandatory nor suggested and whose annotation is
//     true is a leftover.
//
// Several servers, of several releases, may keep one store. Every write is
// conditional on what it was decided from: a creation on absence, an update on
// the resourceVersion, a deletion on the resourceVersion and the UID. A server
// that loses such a race reads the one object again and decides anew, a bounded
// number of times. Servers that disagree thus write once in a pass, and a pass
// is once a minute.
package bootstrap
