import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Returns a DNS name in lower-case ASCII without the trailing dot. Undefined if it is invalid, an address or a
 * single label. */
export function dnsName(text: string): string | undefined {
  // `domainToASCII` would cut off URL parts and decode escapes, so reject these first.
  if (/[/\\?#%@:]/.test(text)) return undefined;
  const name = domainToASCII(text.trim().replace(/\.$/, ''));
  const labels = name.split('.');
  if (!name || name.length > 253 || labels.length < 2 || isIP(name)) return undefined;
  // A numeric last label would be an IP address in another notation.
  if (!labels.every((each) => label.test(each)) || /^\d+$/.test(labels.at(-1)!)) return undefined;
  return name;
}
