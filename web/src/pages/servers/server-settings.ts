import type { FormValues } from '../../forms/form.tsx';
import { numberIn } from '../../forms/number.ts';
import type { Server } from '../../server-queries.ts';

/** How Mooring signs in. `keep` leaves the stored credentials of an existing server. */
export type SignInWay = 'keep' | 'generate' | 'privateKey' | 'password';

/** The fields of an SSH server as a request body. */
export function serverAddressIn(value: FormValues) {
  return {
    name: value('name').trim(),
    host: value('host').trim(),
    user: value('user').trim(),
    ...(value('port') && { port: numberIn(value('port')) }),
  };
}

const orNull = (text: string) => text.trim() || null;

export const serverEdgeIn = (value: FormValues) => ({
  baseDomain: orNull(value('baseDomain')),
  edgePort: numberIn(value('edgePort')) ?? null,
  edgeTlsPort: numberIn(value('edgeTlsPort')) ?? null,
});

/** Credentials of a new server. Empty fields go to the API, which rejects them. */
export function credentialsIn(way: SignInWay, value: FormValues) {
  if (way === 'generate') return { generateKey: true };
  if (way === 'password') return { password: value('password') };
  return { privateKey: value('privateKey'), ...(value('passphrase') && { passphrase: value('passphrase') }) };
}

/** Credentials that replace those of an existing server. */
export function newCredentialsIn(way: SignInWay, value: FormValues) {
  if (way === 'keep') return {};
  if (way === 'password') return { ...credentialsIn(way, value), privateKey: null };
  return { password: null, ...credentialsIn(way, value) };
}

/** The current way to sign in to a server. */
export function currentWay({ id, hasPassword, publicKey }: Server): SignInWay {
  if (hasPassword) return 'password';
  return publicKey?.endsWith(` mooring-${id}`) ? 'generate' : 'privateKey';
}

/** Whether the form contains another host, port or user: the stored credentials are not used for these. */
export const isServerMoved = ({ host, port, user }: Server, value: FormValues): boolean =>
  value('host').trim() !== host || value('user').trim() !== user || (value('port') || String(port)) !== String(port);

type Place = ReturnType<typeof serverAddressIn> & ReturnType<typeof serverEdgeIn>;

/** Returns the changed fields only. */
export function changedServerFields(server: Server, wanted: Partial<Place>): Partial<Place> {
  const isOther = ([field, value]: [string, unknown]) => server[field as keyof Place] !== value;
  return Object.fromEntries(Object.entries(wanted).filter(isOther));
}
