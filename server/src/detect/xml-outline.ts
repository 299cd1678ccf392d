// Minimal XML access for project files.

/** Returns the text of the first element with this name and no children. */
export function elementText(xml: string, name: string): string | undefined {
  return xmlElements(xml, name)
    .map((inner) => inner.trim())
    .find((inner) => inner && !inner.includes('<'));
}

/** Returns the contents of elements with this name. Nesting of the same name is not supported. */
export function xmlElements(xml: string, name: string): string[] {
  const found: string[] = [];
  let at = 0;
  while (found.length < 300) {
    const open = xml.indexOf(`<${name}`, at);
    if (open < 0) break;
    const after = xml.indexOf('>', open);
    const next = xml[open + name.length + 1] ?? '';
    if (after < 0) break;
    at = after + 1;
    if (!/[\s>]/.test(next) || xml[after - 1] === '/') continue;
    const close = xml.indexOf(`</${name}>`, at);
    if (close < 0) break;
    found.push(xml.slice(at, close));
    at = close;
  }
  return found;
}

export function withoutXmlComments(xml: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const open = xml.indexOf('<!--', at);
    if (open < 0) return kept + xml.slice(at);
    kept += xml.slice(at, open);
    const close = xml.indexOf('-->', open + 4);
    if (close < 0) return kept;
    at = close + 3;
  }
}
