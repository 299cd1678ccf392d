/** As in file extensions; `gz` is `gzip` in headers. */
export type Coding = 'br' | 'gz';

const codings: { coding: Coding; name: string }[] = [
  { coding: 'br', name: 'br' },
  { coding: 'gz', name: 'gzip' },
];

export const contentEncodingOf = (coding: Coding): string => codings.find((each) => each.coding === coding)!.name;

/** Returns the codings that the client prefers to the plain file, best first; ties go to the smaller result. */
export function acceptedCodings(header: string | string[] | undefined): Coding[] {
  const qualities = readQualities(String(header ?? ''));
  const any = qualities.get('*') ?? 0;
  // An unnamed coding is acceptable as a last resort.
  const plain = qualities.get('identity') ?? 0;
  return codings
    .map(({ coding, name }) => ({ coding, quality: qualities.get(name) ?? any }))
    .filter(({ quality }) => quality > 0 && quality >= plain)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ coding }) => coding);
}

function readQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const each of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    if (name) qualities.set(name, quality === undefined ? 1 : Number(quality) || 0);
  }
  return qualities;
}
