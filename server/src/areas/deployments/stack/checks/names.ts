import { ComposeError, type ComposeProject, type ComposeProblem } from '../../../../compose/index.ts';
import { parseReference } from '../../../../drivers/images/references.ts';

/** Rejects service names that differ only in case, and invalid image names. */
export function requireValidNames({ services }: Pick<ComposeProject, 'services'>): void {
  const first = new Map<string, string>();
  const problems = services.flatMap(({ name, at, places, image, build }): ComposeProblem[] => {
    const folded = name.toLowerCase();
    const other = first.get(folded);
    if (other === undefined) first.set(folded, name);
    // Mooring names the images that it builds.
    const isNoImage = image !== null && !build && !parseReference(image);
    const place = places['image'] ?? at;
    return [
      ...(other === undefined || other === name ? [] : [{ ...at, message: sameName(other, name) }]),
      ...(isNoImage ? [{ ...place, message: `services.${name}.image: ${shown(image)} is not an image name` }] : []),
    ];
  });
  if (problems.length) throw new ComposeError(problems);
}

const sameName = (one: string, other: string): string =>
  `services ${one} and ${other} differ in case only and would have the same host name`;

const shown = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
