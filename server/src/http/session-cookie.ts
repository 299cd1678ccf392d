const name = 'mooring_session';

export function sessionSecretOf(cookieHeader: string | undefined): string | undefined {
  if (!cookieHeader) return undefined;
  for (const part of cookieHeader.split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return undefined;
}

export function sessionCookie(secret: string, maxAgeSeconds: number, secure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return `${name}=${secret}; ${attributes}${secure ? '; Secure' : ''}`;
}

export const endedSessionCookie = (secure: boolean): string => sessionCookie('', 0, secure);
