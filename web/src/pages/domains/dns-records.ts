/** One line to enter where the DNS of a name is kept. */
export interface DnsRecord {
  type: 'A' | 'AAAA' | 'TXT';
  name: string;
  value: string;
}

const four = /^\d{1,3}(\.\d{1,3}){3}$/;
const six = /^(?=.*:.*:)[0-9a-f:]+(\.\d{1,3}){0,4}$/i;
const host = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z]$/i;
/** What proves something is long, or says what it is for: `mooring=…`. */
const proof = /^(?=.*\d)[\w+/=.:-]{16,}$|^[\w.-]+=[\w+/=.:-]{6,}$/;

/** Records that a sentence of the API asks for: the addresses that `name` has to lead to, or a TXT record. The sentence
 * is shown as well, so that nothing is lost where none is found. */
export function recordsIn(sentence: string, name: string): DnsRecord[] {
  const words = sentence.split(/\s+/).map(bare);
  if (words.includes('TXT')) return txtIn(sentence, words, name);
  return [...new Set(words)].flatMap((value): DnsRecord[] => {
    if (four.test(value)) return [{ type: 'A', name, value }];
    return six.test(value) ? [{ type: 'AAAA', name, value }] : [];
  });
}

/** The name of the record begins with an underscore, as such names do, or is the one it is about. */
function txtIn(sentence: string, words: string[], name: string): DnsRecord[] {
  const hosts = words.filter((word) => host.test(word));
  const at = hosts.find((word) => word.startsWith('_')) ?? hosts.find((word) => word === name) ?? name;
  const quoted = [...sentence.matchAll(/["“`']([^"”`'\s]+)["”`']/g)].map(([, inner = '']) => inner);
  const value =
    quoted.find((each) => !host.test(each)) ?? words.find((word) => !hosts.includes(word) && proof.test(word));
  return value ? [{ type: 'TXT', name: at, value }] : [];
}

/** A word without what stands around it in a sentence. */
const bare = (word: string): string => word.replace(/^["“`'(]+/, '').replace(/["”`'),.;:!?]+$/, '');
