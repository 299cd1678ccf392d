const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** `512 MB`, `1.5 GB`: memory is counted in powers of 1024, unlike files and disks. */
export function formatMemory(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1);
  const value = bytes / 1024 ** step;
  return `${value < 10 && step > 0 ? Number(value.toFixed(1)) : Math.round(value)} ${units[step]}`;
}
