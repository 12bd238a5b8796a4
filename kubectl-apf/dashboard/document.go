package dashboard

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
)

//go:embed page/page.html
var pageHTML []byte

//go:embed page/page.css
var pageCSS []byte

//go:embed page/chart.js
var chartJS []byte

//go:embed page/table.js
var tableJS []byte

//go:embed page/page.js
var pageJS []byte

// document returns the page with its style and script inline, and the content security
// policy that allows these two, and requests to the server that it is from.
func document() (page []byte, policy string) {
	script := bytes.Join([][]byte{chartJS, tableJS, pageJS}, nil)
	page = bytes.Replace(pageHTML, []byte("/* style */"), pageCSS, 1)
	page = bytes.Replace(page, []byte("/* script */"), script, 1)
	return page, fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; connect-src 'self'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'", digest(pageCSS), digest(script))
}

// digest returns the digest of an inline style or script, in the form of a content
// security policy (https://www.w3.org/TR/CSP3/, hash-source).
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
