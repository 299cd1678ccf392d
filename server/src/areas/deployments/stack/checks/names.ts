import { ComposeError, type ComposeProject, type ComposeProblem } from '../../../../compose/index.ts';
import { parseReference } from '../../../../drivers/images/references.ts';

/** Refuses names that can never work: of services that nobody could tell apart, and of images that no registry can have. */
export function requireValidNames({ services }: Pick<ComposeProject, 'services'>): void {
  const first = new Map<string, string>();
  const problems = services.flatMap(({ name, at, places, image, build }): ComposeProblem[] => {
    const folded = name.toLowerCase();
    const other = first.get(folded);
    if (other === undefined) first.set(folded, name);
    // What is built is named by us.
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
