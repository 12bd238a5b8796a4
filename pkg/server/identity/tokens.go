package identity

import (
	"fmt"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	tokencache "k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/token/tokenfile"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/webhook"
)

// tokenAuthenticators returns the authenticators of bearer tokens. jwt may be nil.
func (o *Options) tokenAuthenticators(jwt authenticator.Token, audiences authenticator.Audiences) ([]authenticator.Token, error) {
	var result []authenticator.Token
	if o.Local.TokenFile != "" {
		file, err := newTokenFile(o.Local.TokenFile)
		if err != nil {
			return nil, err
		}
		result = append(result, file)
	}
	if jwt != nil {
		result = append(result, jwt)
	}
	if o.Local.TokenWebhookFile != "" {
		webhook, err := o.newTokenWebhook(audiences)
		if err != nil {
			return nil, err
		}
		result = append(result, webhook)
	}
	return result, nil
}

// newTokenFile reads the file of --token-auth-file. Errors name the flag and the
// file.
func newTokenFile(file string) (authenticator.Token, error) {
	tokens, err := tokenfile.NewCSV(file)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: must be a readable CSV file with a token, a user name, a UID and optionally quoted groups on each line: %w", tokenFileFlag, file, err)
	}
	return tokens, nil
}

// newTokenWebhook returns the webhook of
// --authentication-token-webhook-config-file behind a cache. It does not contact
// the webhook. Errors name the flag and the file.
func (o *Options) newTokenWebhook(audiences authenticator.Audiences) (authenticator.Token, error) {
	client, err := loadWebhookKubeconfig(tokenWebhookFlag, o.Local.TokenWebhookFile)
	if err != nil {
		return nil, err
	}
	reviewer, err := webhook.New(client, o.Local.TokenWebhookVersion, audiences, *genericoptions.DefaultAuthWebhookRetryBackoff())
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", tokenWebhookFlag, o.Local.TokenWebhookFile, err)
	}
	ttl := o.cacheTTL(tokenWebhookTTLFlag, o.Authentication.CacheTTL, localTokenWebhookTTL)
	return tokencache.New(quietTokens{reviewer}, false, ttl, ttl), nil
}
