const usualPorts = { http: 80, https: 443 };

/** The address of a name at an edge that listens there. 0: not known before there is a certificate. */
export const edgeUrl = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host}${port === 0 || port === usualPorts[scheme] ? '' : `:${port}`}`;
