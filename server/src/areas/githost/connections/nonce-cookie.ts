/** Binds a sign-in to the browser that started it, so that another browser cannot finish it. */
const nameOf = (isSecure: boolean) => (isSecure ? '__Secure-mooring_connect' : 'mooring_connect');
export const callbackPath = '/api/githost/connect/redirect';

export function nonceOf(cookieHeader: string | undefined, isSecure: boolean): string | undefined {
  for (const part of cookieHeader?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2);
    if (key === nameOf(isSecure) && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return undefined;
}

export function nonceCookie(nonce: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = `Path=${callbackPath}; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}`;
  return `${nameOf(isSecure)}=${nonce}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

export const endedNonceCookie = (isSecure: boolean): string => nonceCookie('', 0, isSecure);
