package identity

import (
	"fmt"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/webhook"
)

// newTokenWebhook returns the service of --authentication-token-webhook-config-file
// behind a cache. It is not called before a token comes. Errors name the flag and
// the file.
func (o *Options) newTokenWebhook(audiences authenticator.Audiences) (authenticator.Token, error) {
	client, err := loadWebhookKubeconfig(tokenWebhookFlag, o.Local.TokenWebhookFile)
	if err != nil {
		return nil, err
	}
	reviewer, err := webhook.New(client, o.Local.TokenWebhookVersion, audiences, *genericoptions.DefaultAuthWebhookRetryBackoff())
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", tokenWebhookFlag, o.Local.TokenWebhookFile, err)
	}
	ttl := o.lifetime(tokenWebhookTTLFlag, o.Authentication.CacheTTL, defaultTokenWebhookTTL)
	return tokencache.New(reviewer, false, ttl, ttl), nil
}
