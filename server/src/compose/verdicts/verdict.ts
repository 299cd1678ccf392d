/** How a field is handled. `warned` fields are ignored; `refused` fields prevent the deployment. */
export type FieldVerdict =
  | { is: 'carried out'; how?: string }
  | { is: 'warned'; why: string }
  | { is: 'refused'; why: string };

export const carriedOut: FieldVerdict = { is: 'carried out' };
export const carriedAs = (how: string): FieldVerdict => ({ is: 'carried out', how });
export const warnedField = (why: string): FieldVerdict => ({ is: 'warned', why });
export const refusedField = (why: string): FieldVerdict => ({ is: 'refused', why });

/** Fields by path: `build.args`, `ports[].target` for list items, `networks.*.aliases` for any name. */
export type Verdicts = Record<string, FieldVerdict>;
