// With this prefix browsers accept the cookie only from this host over TLS: an app on a sibling domain cannot plant
// one.
const nameOf = (secure: boolean) => (secure ? '__Host-mooring_session' : 'mooring_session');

export function sessionSecretOf(cookieHeader: string | undefined, secure: boolean): string | undefined {
  if (!cookieHeader) return undefined;
  for (const part of cookieHeader.split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === nameOf(secure) && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return undefined;
}

export function sessionCookie(secret: string, maxAgeSeconds: number, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return `${nameOf(secure)}=${secret}; ${attributes}${secure ? '; Secure' : ''}`;
}

export const endedSessionCookie = (secure: boolean): string => sessionCookie('', 0, secure);
