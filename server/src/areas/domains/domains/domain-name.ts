import { badRequest } from '../../../errors.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import { isReservedSlug } from '../../projects/port.ts';

const label = /^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/;

/** Whether a name is the base domain, or below it. */
export const isInDomain = (name: string, baseDomain: string): boolean =>
  name === baseDomain || name.endsWith(`.${baseDomain}`);

/** Returns a normalized custom domain, or throws an error that names the field. */
export function requireOwnName(text: string, baseDomain: string, field: string): string {
  const name = dnsName(text);
  if (!name) throw badRequest(`${field}: ${text} is not a domain name such as shop.example.com`, field);
  if (isInDomain(name, baseDomain))
    throw badRequest(
      `${field}: names below ${baseDomain} belong to this instance; choose one with the project's slug or publicEndpoints.domain`,
      field,
    );
  return name;
}

type Instance = { baseDomain: string; instanceLabel: string | undefined };

/**
 * Returns the label of a free name, given as `shop` or `shop.<base domain>`, or throws an error that names the field.
 */
export function requireFreeLabel(text: string, { baseDomain, instanceLabel }: Instance, field: string): string {
  const name = text.toLowerCase();
  const chosen = name.endsWith(`.${baseDomain}`) ? name.slice(0, -baseDomain.length - 1) : name;
  // Double dashes are reserved for environments of projects.
  if (!label.test(chosen))
    throw badRequest(
      `${field}: ${text} is not one name below ${baseDomain}, of letters, digits and single dashes; for your own domain use customDomain`,
      field,
    );
  if (chosen === instanceLabel)
    throw badRequest(`${field}: ${chosen} is the address of this instance itself; choose another one`, field);
  if (isReservedSlug(chosen)) throw badRequest(`${field}: ${chosen} is reserved; choose another one`, field);
  return chosen;
}
