import { randomBytes, randomInt } from 'node:crypto';

/** A variable that asks for a random value. */
export interface RandomValue {
  is: 'random';
  make: () => string;
}

/** A variable that asks for the address of a service: `SERVICE_URL_WEB_3000`. `service` is in upper case. */
export interface AddressValue {
  is: 'address';
  form: 'url' | 'host';
  service: string;
  port: number | null;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const alphabet = `${letters}0123456789`;

/** Letters and digits, which need no quoting in URLs and files; a letter first, as user names require. */
export const randomText = (length: number): string =>
  Array.from({ length }, (_, i) => pick(i === 0 ? letters : alphabet)).join('');

const pick = (from: string): string => from[randomInt(from.length)]!;

/** Kinds of random values: how long they are by default, and how they are made. */
const kinds: Record<string, { length: number; make: (length: number) => string }> = {
  PASSWORD: { length: 32, make: randomText },
  USER: { length: 16, make: randomText },
  BASE64: { length: 32, make: randomText },
  REALBASE64: { length: 32, make: (length) => randomBytes(length).toString('base64') },
  HEX: { length: 32, make: (length) => randomBytes(length).toString('hex') },
};

const random = /^SERVICE_(PASSWORD|USER|BASE64|REALBASE64|HEX)_(?:(32|64|128)_)?[A-Z0-9][A-Z0-9_]*$/;
const address = /^SERVICE_(URL|FQDN)_([A-Z0-9][A-Z0-9_]*?)(?:_(\d{2,5}))?$/;

/** Returns what a variable of Coolify's stacks asks for, by its name; undefined for any other variable. */
export function generatedValue(name: string): RandomValue | AddressValue | undefined {
  const [, kind, length] = random.exec(name) ?? [];
  const { length: usual, make } = kinds[kind ?? ''] ?? {};
  if (make) return { is: 'random', make: () => make(length === undefined ? usual! : Number(length)) };
  const [, form, service, port] = address.exec(name) ?? [];
  if (service === undefined) return undefined;
  return { is: 'address', form: form === 'URL' ? 'url' : 'host', service, port: port ? Number(port) : null };
}
