// Reader for XML of servers: elements and text only. No document types, no custom entities. Names keep their prefix.

export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const token =
  /<\?[^>]*\?>|<!--(?:[^-]|-[^-])*-->|<\/([A-Za-z][\w:.-]*)\s*>|<([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const mostDepth = 16;

/** Parses a document; undefined if it is invalid. */
export function readXml(document: string): XmlElement | undefined {
  const top: XmlElement = { name: '', text: '', children: [] };
  const open = [top];
  token.lastIndex = 0;
  for (let at = 0; at < document.length; at = token.lastIndex) {
    const found = token.exec(document);
    if (!found) return undefined;
    const [, closes, opens, , isEmpty, text] = found;
    const inner = open.at(-1)!;
    if (text !== undefined) {
      const plain = withoutReferences(text);
      if (plain === undefined) return undefined;
      inner.text += plain;
    } else if (opens) {
      const element = { name: opens, text: '', children: [] };
      inner.children.push(element);
      if (!isEmpty && open.push(element) > mostDepth) return undefined;
    } else if (closes && open.pop()!.name !== closes) return undefined;
  }
  const [root, ...others] = top.children;
  return open.length === 1 && !others.length && !top.text.trim() ? root : undefined;
}

/** Returns the text of the child with that name. */
export const xmlChildText = (element: XmlElement, name: string): string | undefined =>
  element.children.find((child) => child.name === name)?.text;

export const xmlChildren = (element: XmlElement, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name);

/** Returns undefined for an unknown entity. */
function withoutReferences(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isWhole = true;
  const plain = text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));|&/g, (_, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? parseInt(hex as string, 16) : undefined;
    const character =
      code === undefined ? named[name as string] : code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
    if (character === undefined) isWhole = false;
    return character ?? '';
  });
  return isWhole ? plain : undefined;
}
