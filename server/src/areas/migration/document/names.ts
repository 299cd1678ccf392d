/** Returns a valid compose name for any text, unique regardless of case. */
export function freeName(text: string, taken: Set<string>): string {
  const plain = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 56)
    .replace(/[^A-Za-z0-9]+$/, '');
  const stem = plain || 'service';
  let name = stem;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${stem}-${number}`;
  taken.add(name.toLowerCase());
  return name;
}
