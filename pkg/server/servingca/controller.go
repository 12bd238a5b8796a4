package servingca

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

const (
	// Interval separates two looks, and soon follows one that failed or that waits for settling.
	Interval = 10 * time.Second
	soon     = 2 * time.Second
	// Settling is how long all APIServices must have a CA before certificates of it are served. A
	// kube-apiserver reads a changed APIService within a second.
	Settling = 10 * time.Second
	// requestTimeout bounds the requests of one look.
	requestTimeout = 10 * time.Second
)

// SecretName returns the name of the Secret of a Service.
func SecretName(service string) string { return service + "-serving" }

// Config is the configuration of a Controller. All fields are required.
type Config struct {
	// Secrets may get and update the Secret of the Service, and APIServices may get and update
	// the APIServices of this server's versions.
	Secrets     corev1client.SecretsGetter
	APIServices dynamic.Interface
	// Service is the Service for which the certificate is issued.
	Service types.NamespacedName
	// Initial is presented until the first certificate is issued.
	Initial dynamiccertificates.CertKeyContentProvider
	Clock   utilclock.WithTicker
	Log     logr.Logger
}

// Controller issues and renews the serving certificate.
type Controller struct {
	config      Config
	apiServices apiServices
	presented   presented

	// One goroutine uses these. Issuer is the CA of the presented certificate, nil before the
	// first. Bundle is the last one that was read.
	issuer *x509.Certificate
	bundle []*x509.Certificate
	// trusted is the CA that all APIServices have had since trustedSince; nil if one lacks the CA.
	trusted      *x509.Certificate
	trustedSince time.Time

	mu      sync.Mutex // guards what follows
	issued  bool
	message string // of the last failure
}

var _ healthz.HealthChecker = &Controller{}

// New returns a controller that has not looked yet.
func New(config Config) *Controller {
	c := &Controller{config: config, apiServices: apiServices{client: config.APIServices, service: config.Service}}
	c.presented.set(config.Initial.CurrentCertKeyContent())
	c.message = "kube-apiserver has not answered yet"
	return c
}

// Presented is the certificate for clients, which changes.
func (c *Controller) Presented() dynamiccertificates.CertKeyContentProvider { return &c.presented }

// Name implements healthz.HealthChecker.
func (*Controller) Name() string { return "serving-certificate" }

// Check implements healthz.HealthChecker. It fails until a certificate has been issued.
func (c *Controller) Check(*http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.issued {
		return nil
	}
	return errors.New(c.message)
}

// Message is why the last look failed, empty if it did not; for anyone to read.
func (c *Controller) Message() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.message
}

// Run looks until ctx ends.
func (c *Controller) Run(ctx context.Context) {
	for periodic.Wait(ctx, c.config.Clock, c.Look(ctx)) {
	}
}

// Look looks once and returns the time until the next look.
func (c *Controller) Look(ctx context.Context) time.Duration {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	settled, err := c.look(limited)
	if ctx.Err() != nil {
		return 0 // this server stops
	}
	if apierrors.IsConflict(err) {
		return soon // another replica was faster
	}
	c.record(err)
	if err != nil || !settled {
		return soon
	}
	return Interval
}

// look reports whether the certificate of the CA in the Secret is presented.
func (c *Controller) look(ctx context.Context) (settled bool, err error) {
	// First the APIServices, then the Secret: if another replica writes both in between, the update of
	// the APIServices is a conflict, and no newer bundle is replaced.
	registered, unread := c.apiServices.read(ctx)
	now := c.config.Clock.Now()
	a, err := c.agree(ctx, now)
	if err != nil {
		return false, errors.Join(err, unread)
	}
	c.bundle = a.bundle
	bundle := a.bundle
	if c.issuer != nil { // which a Secret written by hand may lack
		bundle = merged(bundle, []*x509.Certificate{c.issuer}, now)
	}
	unwritten := c.apiServices.add(ctx, registered, bundle, now)
	c.observe(a.certificate, registered, unread == nil, now)
	return c.issuer.Equal(a.certificate), errors.Join(c.follow(a, now), unread, unwritten)
}

// agree returns the CA of the Secret, and creates or replaces it if necessary.
func (c *Controller) agree(ctx context.Context, now time.Time) (a authority, err error) {
	client, name := c.config.Secrets.Secrets(c.config.Service.Namespace), SecretName(c.config.Service.Name)
	object := fmt.Sprintf("Secret %s/%s", c.config.Service.Namespace, name)
	lost := func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }
	err = retry.OnError(retry.DefaultRetry, lost, func() error {
		write, verb := client.Update, "update"
		secret, err := client.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			secret, err = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
			write, verb = func(ctx context.Context, secret *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
				return client.Create(ctx, secret, metav1.CreateOptions{})
			}, "create"
		}
		if err != nil {
			return explain(err, "get", object)
		}
		if a, err = parse(secret.Data); err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
		if len(a.bundle) == 0 {
			a.bundle = c.bundle
		}
		next, reason, err := a.renewed(now)
		if err != nil || reason == "" {
			return err
		}
		if secret.Data, err = next.write(secret.Data); err != nil {
			return err
		}
		if _, err = write(ctx, secret, metav1.UpdateOptions{}); err != nil {
			return explain(err, verb, object)
		}
		a = next
		c.config.Log.Info("Created CA", "secret", object, "reason", reason, "expires", a.certificate.NotAfter.UTC().Format(time.RFC3339))
		return nil
	})
	return a, err
}

// observe notes since when all registrations, as they were read, have had the CA.
func (c *Controller) observe(ca *x509.Certificate, registered []registration, complete bool, now time.Time) {
	for _, registration := range registered {
		complete = complete && contains(registration.bundle, []*x509.Certificate{ca})
	}
	switch {
	case !complete:
		c.trusted = nil
	case !c.trusted.Equal(ca):
		c.trusted, c.trustedSince = ca, now
	}
}

// follow presents a certificate of the CA once that is safe: at the first look, when the presented
// certificate has ended, or when all registrations have had the CA for a time.
func (c *Controller) follow(a authority, now time.Time) error {
	settled := c.trusted.Equal(a.certificate) && now.Sub(c.trustedSince) >= Settling
	if c.issuer.Equal(a.certificate) || c.issuer != nil && !now.After(c.issuer.NotAfter) && !settled {
		return nil
	}
	names := []string{c.config.Service.Name + "." + c.config.Service.Namespace + ".svc", c.config.Service.Name + "." + c.config.Service.Namespace}
	certificate, key, err := a.issue(names)
	if err != nil {
		return fmt.Errorf("issuing a serving certificate: %w", err)
	}
	c.presented.set(certificate, key)
	c.issuer = a.certificate
	c.mu.Lock()
	c.issued = true
	c.mu.Unlock()
	c.config.Log.Info("Issued serving certificate", "names", names, "issuer", a.certificate.Subject.CommonName, "expires", a.certificate.NotAfter.UTC().Format(time.RFC3339))
	return nil
}

// record keeps the message of a failure, nil for none, and logs a change.
func (c *Controller) record(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous := c.message
	c.message = ""
	if err != nil {
		c.message = err.Error()
	}
	switch {
	case c.message == previous:
	case err != nil:
		c.config.Log.Error(err, "Failed to keep the serving certificate; this is retried", "after", soon.String(), "served", c.issued)
	case c.issued:
		c.config.Log.Info("Serving certificate is kept")
	}
}
