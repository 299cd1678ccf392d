import { failParsing } from '../problems.ts';
import type { VariableSource } from './template.ts';

const maxCharacters = 8 * 1024 * 1024;

/** Limits the total size of substituted values: a small file can use a large variable often. */
export function boundedLookup(lookup: VariableSource, file: string): VariableSource {
  let left = maxCharacters;
  return (name) => {
    const value = lookup(name);
    left -= value?.length ?? 0;
    return left < 0 ? failParsing({ file, line: null }, 'with its variables it is too large') : value;
  };
}
