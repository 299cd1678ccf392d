/** A number of parts of one size. Parts up to `mostInMemory` are kept in memory, larger ones in a file. */
export interface PartSize {
  parts: number;
  bytes: number;
}

const mebibyte = 1024 * 1024;
export const mostInMemory = 8 * mebibyte;

/** The length of a stream is unknown, S3 allows 10,000 parts, and an object of 5 TiB must fit. The size stays
 * constant as long as possible, because some servers (R2) want equal parts: the first 55 GiB have one size. */
export const usualPlan: PartSize[] = [
  { parts: 7000, bytes: 8 * mebibyte },
  { parts: 1000, bytes: 256 * mebibyte },
  { parts: 2000, bytes: 2560 * mebibyte },
];

/** Returns the size of a part, counting from 1. Undefined when there are no more. */
export function partBytes(number: number, plan: PartSize[]): number | undefined {
  let last = 0;
  for (const { parts, bytes } of plan) {
    last += parts;
    if (number <= last) return bytes;
  }
  return undefined;
}
