package controlplane

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Trouble is what keeps a check from being passed.
type Trouble struct {
	// Text says what is missing and what to do, for anyone to read.
	Text string
	// Cause is the reason in full; it may be nil.
	Cause error
}

// err is both in one.
func (t *Trouble) err() error {
	if t.Cause == nil {
		return errors.New(t.Text)
	}
	return fmt.Errorf("%s (%w)", t.Text, t.Cause)
}

// unanswered explains an error of a request that kube-apiserver did not answer,
// or answered without looking at what was asked. It is nil for an answer.
func unanswered(err error) *Trouble {
	var (
		invalid   x509.CertificateInvalidError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		network   net.Error
		status    apierrors.APIStatus
	)
	var text string
	switch {
	case err == nil:
		return nil
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		text = "its certificate is not valid at the time that our clock shows: set the clocks right, or renew the certificate"
	case errors.As(err, &authority), errors.As(err, &invalid), errors.As(err, &host):
		text = "its certificate is not one that our kubeconfig trusts: compare the kubeconfig's authority and address with it"
	case apierrors.IsUnauthorized(err):
		text = "it does not accept our credentials (401): see that the token or certificate is of this cluster and has not expired, and that the clocks agree"
	case apierrors.IsTooManyRequests(err):
		text = "it has no room for our questions (429): apply artifacts/flowschemas to it"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout(), apierrors.IsTimeout(err):
		text = "it does not answer in time"
	case errors.As(err, &status) && status.Status().Code >= http.StatusInternalServerError:
		text = "it has troubles of its own"
	case !errors.As(err, &status):
		text = "it cannot be reached: see that it runs, and that the kubeconfig has its address"
	default:
		return nil
	}
	return &Trouble{Text: text, Cause: err}
}

// refused explains an error of a request: one that was not permitted by the right
// that is missing.
func refused(err error, right string) *Trouble {
	if trouble := unanswered(err); trouble != nil {
		return trouble
	}
	if apierrors.IsForbidden(err) {
		return &Trouble{Text: right, Cause: err}
	}
	return &Trouble{Text: "kube-apiserver gives an answer that was not expected", Cause: err}
}
