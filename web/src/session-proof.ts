const key = 'mooring.session-proof';

/** What this origin proves itself with, beside the cookie, which browsers also send to other ports of the host. Read anew for
 * each request: another tab may have signed in or out. */
export const sessionProof = (): string | undefined => localStorage.getItem(key) ?? undefined;

export const keepSessionProof = (proof: string): void => localStorage.setItem(key, proof);

export const forgetSessionProof = (): void => localStorage.removeItem(key);
