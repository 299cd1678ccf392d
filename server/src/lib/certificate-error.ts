const certificateError = /^(ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME)/;

/** Says what is wrong with the certificate of a server; undefined for other errors of a connection. */
export function certificateTrouble(code: string): string | undefined {
  if (!certificateError.test(code)) return undefined;
  if (code === 'CERT_HAS_EXPIRED') return `has expired (${code})`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `is for another host name; check the address (${code})`;
  return `is not trusted; for a private authority, start Mooring with NODE_EXTRA_CA_CERTS set to its CA file (${code})`;
}
