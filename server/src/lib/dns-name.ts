import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** A name as name servers know it: lower case, in ASCII, without the dot at the end. Undefined when it is none, addresses
 * and single words included. */
export function dnsName(text: string): string | undefined {
  // What would be taken for the rest of an address is cut off, and what is escaped is read, before anybody looks at it.
  if (/[/\\?#%@:]/.test(text)) return undefined;
  const name = domainToASCII(text.trim().replace(/\.$/, ''));
  const labels = name.split('.');
  if (!name || name.length > 253 || labels.length < 2 || isIP(name)) return undefined;
  // The last one of a name is never a number: that would be an address in another form.
  if (!labels.every((each) => label.test(each)) || /^\d+$/.test(labels.at(-1)!)) return undefined;
  return name;
}
