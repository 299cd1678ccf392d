/** One DNS record to create. */
export interface DnsRecord {
  type: 'A' | 'AAAA' | 'TXT';
  name: string;
  value: string;
}

const four = /^\d{1,3}(\.\d{1,3}){3}$/;
const six = /^(?=.*:.*:)[0-9a-f:]+(\.\d{1,3}){0,4}$/i;
const host = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z]$/i;
/** A proof is a long value, or has a key: `mooring=…`. */
const proof = /^(?=.*\d)[\w+/=.:-]{16,}$|^[\w.-]+=[\w+/=.:-]{6,}$/;

/** Extracts the records that an API message asks for: the addresses for `name`, or a TXT record. The message is
 * shown as well, in case none is found. */
export function recordsIn(sentence: string, name: string): DnsRecord[] {
  const words = sentence.split(/\s+/).map(bare);
  if (words.includes('TXT')) return txtIn(sentence, words, name);
  return [...new Set(words)].flatMap((value): DnsRecord[] => {
    if (four.test(value)) return [{ type: 'A', name, value }];
    return six.test(value) ? [{ type: 'AAAA', name, value }] : [];
  });
}

/** The record's name begins with an underscore, or else is the domain itself. */
function txtIn(sentence: string, words: string[], name: string): DnsRecord[] {
  const hosts = words.filter((word) => host.test(word));
  const at = hosts.find((word) => word.startsWith('_')) ?? hosts.find((word) => word === name) ?? name;
  const quoted = [...sentence.matchAll(/["“`']([^"”`'\s]+)["”`']/g)].map(([, inner = '']) => inner);
  const value =
    quoted.find((each) => !host.test(each)) ?? words.find((word) => !hosts.includes(word) && proof.test(word));
  return value ? [{ type: 'TXT', name: at, value }] : [];
}

/** Strips surrounding punctuation from a word. */
const bare = (word: string): string => word.replace(/^["“`'(]+/, '').replace(/["”`'),.;:!?]+$/, '');
