const usualPorts = { http: 80, https: 443 };

/** Returns the URL of a host. Port 0: not known before there is a certificate. */
export const edgeUrl = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host}${port === 0 || port === usualPorts[scheme] ? '' : `:${port}`}`;
