const count = new Intl.NumberFormat('en');
const share = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });
/** A share below 100% must not round up to it. */
const almostAll = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2, roundingMode: 'trunc' });

/** `1,234`. */
export const countOf = (value: number): string => count.format(value);
/** `12%`, `0.042%`, `99.86%`. */
export function shareOf(part: number, whole: number): string {
  const ratio = whole ? part / whole : 0;
  return (ratio > 0.99 && ratio < 1 ? almostAll : share).format(ratio);
}
