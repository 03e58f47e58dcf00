package remote

import (
	"fmt"
	"net/url"
	"strings"
)

// checkEndpoint fails unless the address of a server is http:// or https://, a host and perhaps a path. Nothing is told of what may be a secret.
func checkEndpoint(endpoint string) error {
	if !strings.Contains(endpoint, "://") {
		return fmt.Errorf("remote: endpoint %q: want a URL: http://%[1]s or https://%[1]s", redact(endpoint))
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("remote: endpoint %q: want http://HOST:PORT or https://HOST:PORT", redact(endpoint))
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Errorf("remote: endpoint %q: want no user, password, query or fragment: credentials belong where the AWS tools look", redact(endpoint))
	}
	return nil
}
