/** `1.2.3`, or `1.2.3-rc.1`. */
export const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z]{1,20}(?:\.[0-9A-Za-z]{1,20}){0,4})?$/;

/** Orders versions by Semantic Versioning: negative if `a` is older than `b`. */
export function compareVersions(a: string, b: string): number {
  const [[coreA, preA], [coreB, preB]] = [partsOf(a), partsOf(b)];
  const byCore = compareParts(coreA, coreB);
  if (byCore) return byCore;
  // A pre-release is older than its release.
  if (!preA.length || !preB.length) return preB.length - preA.length;
  return compareParts(preA, preB);
}

/** A build of a commit without a tag: `1.2.3-3f2a9c1d`, or `1.2.3-3f2a9c1d.dirty`. */
const untagged = /-[0-9a-f]{8}(?:\.dirty)?$/;

/** Whether `compareVersions` is meaningful. Untagged builds of one version have no order among themselves, nor against
 * its release. */
export function areComparable(a: string, b: string): boolean {
  if (a === b || !(untagged.test(a) || untagged.test(b))) return true;
  return compareParts(partsOf(a)[0], partsOf(b)[0]) !== 0;
}

export const notComparableText = (target: string, installed: string): string =>
  `${target} and the installed ${installed} have no order, because one of them was built without a tag; ` +
  `to install it: mooring update --to ${target}`;

function partsOf(version: string): [core: string[], pre: string[]] {
  const [core = '', pre] = version.split(/-(.*)/s);
  return [core.split('.'), pre ? pre.split('.') : []];
}

function compareParts(a: string[], b: string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left !== right) return comparePart(left, right);
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : 1;
}
