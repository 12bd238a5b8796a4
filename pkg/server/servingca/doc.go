// Package servingca issues the serving certificate of a server behind a kube-apiserver, from a CA
// that all replicas share by a Secret.
//
// The Secret has two keys: ca.key is the private key of the CA, and ca.crt is a bundle: the CA's
// certificate and others that clients still trust, such as the previous CA's. Other keys stay as they
// are. A Controller looks every 10 seconds:
//
//  1. It creates the CA if ca.key is missing, or replaces a CA that ends within a year. Two
//     replicas that do so at once agree by the resource version of the Secret: one succeeds, the
//     other reads its CA.
//  2. It adds the bundle to spec.caBundle of the APIServices that name the Service. It removes
//     nothing there that is still valid: another replica may serve a certificate of it.
//  3. It issues a certificate for the Service, with a key that stays in memory.
//
// No request fails while a CA is replaced: a replica serves a certificate of the new CA once it has
// seen the CA in all APIServices for a settling time, so that every kube-apiserver has read them. Until
// then the previous certificate is served. So a change of the Secret by hand is safe too.
//
// # Clocks
//
// A CA is valid from 1970 and at least as long as the one that it replaces. A serving certificate is
// valid exactly as long as its CA. So a replica with a wrong clock may replace a CA too early, and
// never serves a certificate that clients with right clocks reject.
//
// # Failures
//
// What is in the Secret and cannot be used is never overwritten: the error says what to do, and the
// last certificate is served until its end. The same holds while kube-apiserver is unavailable or
// the server lacks a permission. A deleted Secret is created again, if the server may do that, with
// a new CA and the bundle that this server knows.
package servingca
