const key = 'mooring.session-proof';

/** The proof of this origin, beside the cookie, which browsers also send to other ports of the host. Read for each
 * request: another tab may have signed in or out. */
export const sessionProof = (): string | undefined => localStorage.getItem(key) ?? undefined;

export const keepSessionProof = (proof: string): void => localStorage.setItem(key, proof);

export const forgetSessionProof = (): void => localStorage.removeItem(key);
