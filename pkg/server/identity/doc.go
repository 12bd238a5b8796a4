// Package identity authenticates and authorizes requests.
//
// Its flags select one of two modes. Behind a kube-apiserver, this server sends TokenReviews
// and SubjectAccessReviews to it, and trusts the client CA and the front proxy that it
// publishes. Alone, client certificates, a token file and the issuers of an
// AuthenticationConfiguration authenticate users; system:masters, a short list of paths, a file
// of roles and a webhook authorize them.
//
// Both are built from k8s.io/apiserver, with kube-apiserver's flags and meanings. Written here
// are the limits of reviews of unknown clients, the reading of AuthenticationConfigurations and
// roles, and the self-reviews, since kube-apiserver's code for these is not in the library.
// Kubeconfigs are loaded without the library's fallback to the credentials of the pod.
package identity
