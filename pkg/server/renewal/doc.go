// Package renewal renews certificates while a server runs, and shows when
// certificates end.
//
// A Controller checks every 10 minutes, and on startup. It renews what is near its end,
// logs what was renewed and what failed, and logs the Sources that it cannot read. An error ends
// nothing: the next check tries again. One metric shows the Sources as they are when it is read:
//
//	flowcontrol_apiserver_certificate_expiration_timestamp_seconds{certificate,file}
//
// It is in seconds since 1970, so that one alert, on the difference to time(), covers the
// certificates that this server issues and the certificates that an administrator provides. A
// certificate that cannot be read keeps its last value, as the server keeps using what it read
// last.
package renewal
