/** What becomes of a field. What is warned about is not carried out; what is refused keeps the project from being deployed. */
export type FieldVerdict =
  | { is: 'carried out'; how?: string }
  | { is: 'warned'; why: string }
  | { is: 'refused'; why: string };

export const carried: FieldVerdict = { is: 'carried out' };
export const carriedAs = (how: string): FieldVerdict => ({ is: 'carried out', how });
export const warned = (why: string): FieldVerdict => ({ is: 'warned', why });
export const refusedField = (why: string): FieldVerdict => ({ is: 'refused', why });

/** Fields by their path: `build.args`, `ports[].target` for an item of a list, `networks.*.aliases` for any name. */
export type Verdicts = Record<string, FieldVerdict>;
