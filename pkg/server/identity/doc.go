// Package identity authenticates and authorizes requests.
//
// Its flags select one of two modes. Delegated: this server sends TokenReviews
// and SubjectAccessReviews to the kube-apiserver in front of it, and trusts the
// client CA and the front proxy that kube-apiserver publishes. Local: client
// certificates, a front proxy, a token file, OpenID Connect and a token webhook
// authenticate users; system:masters, a short list of paths and an authorization
// webhook authorize them.
//
// Both are built from k8s.io/apiserver, with kube-apiserver's flags and meanings.
// These parts are written here. Anonymous requests reach the health paths, and
// authenticated ones discovery, without a configuration. AuthenticationConfigurations are decoded and
// reloaded here because kube-apiserver's code for it is not in the library.
// Kubeconfigs are loaded without the library's fallback to the credentials of the
// pod. The front proxy's settings are looked up after the start, where the library
// fails to start without them.
package identity
