import type { Values } from '../../forms/form.tsx';
import { numberIn } from '../../forms/number.ts';
import type { Server } from '../../server-queries.ts';

/** How Mooring signs in. `keep` is for a server that is changed: as before. */
export type SignInWay = 'keep' | 'generate' | 'privateKey' | 'password';

/** What the fields of a server over SSH say, as the API takes it. */
export function placeIn(value: Values) {
  return {
    name: value('name').trim(),
    host: value('host').trim(),
    user: value('user').trim(),
    ...(value('port') && { port: numberIn(value('port')) }),
  };
}

const orNull = (text: string) => text.trim() || null;

export const edgeIn = (value: Values) => ({
  baseDomain: orNull(value('baseDomain')),
  edgePort: numberIn(value('edgePort')) ?? null,
  edgeTlsPort: numberIn(value('edgeTlsPort')) ?? null,
});

/** For a server that is new. What is empty goes to the API, which says so beside the field. */
export function credentialsIn(way: SignInWay, value: Values) {
  if (way === 'generate') return { generateKey: true };
  if (way === 'password') return { password: value('password') };
  return { privateKey: value('privateKey'), ...(value('passphrase') && { passphrase: value('passphrase') }) };
}

/** For one that has others: those go. */
export function newCredentialsIn(way: SignInWay, value: Values) {
  if (way === 'keep') return {};
  if (way === 'password') return { ...credentialsIn(way, value), privateKey: null };
  return { password: null, ...credentialsIn(way, value) };
}

/** How Mooring signs in to a server now. */
export function currentWay({ id, hasPassword, publicKey }: Server): SignInWay {
  if (hasPassword) return 'password';
  return publicKey?.endsWith(` mooring-${id}`) ? 'generate' : 'privateKey';
}

/** Whether the form names another host, port or user: the stored credentials are not used for these. */
export const isMoved = ({ host, port, user }: Server, value: Values): boolean =>
  value('host').trim() !== host || value('user').trim() !== user || (value('port') || String(port)) !== String(port);

type Place = ReturnType<typeof placeIn> & ReturnType<typeof edgeIn>;

/** Only what is not as it was. */
export function changedIn(server: Server, wanted: Partial<Place>): Partial<Place> {
  const isOther = ([field, value]: [string, unknown]) => server[field as keyof Place] !== value;
  return Object.fromEntries(Object.entries(wanted).filter(isOther));
}
