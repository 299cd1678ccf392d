import { CertificateError } from '../errors.ts';
import { accountBinding } from './jws.ts';
import type { AcmeSession } from './session.ts';
import { acmeUrl } from './shapes.ts';

/** Account data for the authority. */
export interface AccountTerms {
  email: string | undefined;
  /** External account binding of an existing account. */
  binding: { keyId: string; key: string } | undefined;
}

const contactOf = (email: string | undefined): string[] => (email ? [`mailto:${email}`] : []);

/** Updates the contact of the session's account. */
export async function updateAccount(session: AcmeSession, url: string, { email }: AccountTerms): Promise<void> {
  session.accountUrl = url;
  await session.post(acmeUrl(url, 'the address of the account'), { contact: contactOf(email) });
}

/** Creates the account of the session's key, or finds the existing one; returns its URL. */
export async function openAccount(session: AcmeSession, { email, binding }: AccountTerms): Promise<string> {
  const { newAccount, needsBinding } = await session.directory();
  if (needsBinding && !binding)
    throw new CertificateError(
      'account',
      'the certificate authority requires an account with external account binding',
      'Set MOORING_ACME_EAB_KEY_ID and MOORING_ACME_EAB_KEY to the values from the certificate authority.',
    );
  session.accountUrl = null;
  const answer = await session.post(newAccount, {
    termsOfServiceAgreed: true,
    ...(email && { contact: contactOf(email) }),
    ...(binding && { externalAccountBinding: accountBinding(binding, newAccount.href, session.key.publicJwk) }),
  });
  const { href } = acmeUrl(answer.headers.location, 'the address of the account');
  session.accountUrl = href;
  return href;
}
