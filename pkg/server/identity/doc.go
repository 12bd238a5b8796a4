// Package identity decides who a requester is and what he may do.
//
// There are two kinds of it, told apart by the flags. Delegated: a
// kube-apiserver is asked, by TokenReview and SubjectAccessReview, and its front
// proxy is trusted to say who the user is. Local: there is no kube-apiserver;
// client certificates, a front proxy, a token file, OpenID Connect and a token
// webhook tell who the user is, and system:masters, a short list of harmless
// paths and an authorization webhook what he may do.
//
// The delegated kind is the library's. The local kind is put together here from
// the library's parts, under kube-apiserver's flags and with their meanings.
package identity
