/** So many parts of a size. Parts up to `mostInMemory` are kept in memory, larger ones go through a file. */
export interface PartSize {
  parts: number;
  bytes: number;
}

const mebibyte = 1024 * 1024;
export const mostInMemory = 8 * mebibyte;

/** Nobody knows how long a stream is, S3 takes 10,000 parts, and an object of 5 TiB has to fit. Sizes stay the same as
 * long as they can, because some servers (R2) want parts of one size: 55 GiB go that far. */
export const usualPlan: PartSize[] = [
  { parts: 7000, bytes: 8 * mebibyte },
  { parts: 1000, bytes: 256 * mebibyte },
  { parts: 2000, bytes: 2560 * mebibyte },
];

/** How large the part of that number is; the first is 1. Undefined when there are no more. */
export function partBytes(number: number, plan: PartSize[]): number | undefined {
  let last = 0;
  for (const { parts, bytes } of plan) {
    last += parts;
    if (number <= last) return bytes;
  }
  return undefined;
}
