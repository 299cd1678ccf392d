const units = ['kB', 'MB', 'GB', 'TB'];

/** `812 B`, `2.7 kB`, `3.1 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  let [value, unit] = [bytes / 1000, 0];
  for (; value >= 999.95 && unit < units.length - 1; unit++) value /= 1000;
  return `${value.toFixed(1)} ${units[unit]}`;
}
