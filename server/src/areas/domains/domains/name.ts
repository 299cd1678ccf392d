import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { badRequest } from '../../../errors.ts';

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A name as it is kept and compared: lower case, in ASCII, without the dot at its end. Undefined for what is none. */
export function readName(text: string): string | undefined {
  const name = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase();
  const labels = name.split('.');
  if (name.length > 253 || labels.length < 2 || isIP(name)) return undefined;
  // All figures at the end would be read as an address.
  return labels.every((each) => label.test(each)) && !/^\d+$/.test(labels.at(-1)!) ? name : undefined;
}

/** Whether a name is the instance's own, or below it. */
export const isBelow = (name: string, baseDomain: string): boolean =>
  name === baseDomain || name.endsWith(`.${baseDomain}`);

/** A name of somebody's own, or an error that names the field. */
export function requireOwnName(text: string, baseDomain: string, field: string): string {
  const name = readName(text);
  if (!name) throw badRequest(`${field}: ${text} is not a domain name, as shop.example.com`, field);
  if (isBelow(name, baseDomain))
    throw badRequest(
      `${field}: names below ${baseDomain} are given by this instance; the project's slug or publicEndpoints.domain chooses one`,
      field,
    );
  return name;
}

/** The label of a free name, as `shop` or `shop.<base domain>`, or an error that names the field. */
export function requireFreeLabel(text: string, baseDomain: string, field: string): string {
  const name = text.toLowerCase();
  const chosen = name.endsWith(`.${baseDomain}`) ? name.slice(0, -baseDomain.length - 1) : name;
  if (!label.test(chosen))
    throw badRequest(
      `${field}: ${text} is not one name below ${baseDomain}; a name of your own goes into customDomain`,
      field,
    );
  return chosen;
}
