package servingca

import (
	"sync"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// presented is the certificate that the server presents to its clients.
type presented struct {
	mu               sync.RWMutex // guards what follows
	certificate, key []byte
	listeners        []dynamiccertificates.Listener
}

var _ dynamiccertificates.CertKeyContentProvider = &presented{}

// Name implements dynamiccertificates.CertKeyContentProvider.
func (*presented) Name() string { return "self-issued" }

// CurrentCertKeyContent implements dynamiccertificates.CertKeyContentProvider.
func (p *presented) CurrentCertKeyContent() (certificate, key []byte) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.certificate, p.key
}

// AddListener implements dynamiccertificates.Notifier.
func (p *presented) AddListener(listener dynamiccertificates.Listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners = append(p.listeners, listener)
}

func (p *presented) set(certificate, key []byte) {
	p.mu.Lock()
	p.certificate, p.key = certificate, key
	listeners := p.listeners
	p.mu.Unlock()
	for _, listener := range listeners {
		listener.Enqueue()
	}
}
