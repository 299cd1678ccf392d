import type { SourceLine } from '../problems.ts';
import type { VariableSource } from '../values/template.ts';
import { dictNode, type DictNode } from '../yaml/nodes.ts';
import { withExtends } from './extends.ts';
import { withIncludes, type LoadFiles } from './include.ts';
import { mergeDicts, withoutResets } from './merge.ts';
import type { FileReader } from './reader.ts';

/**
 * Loads the files of one project as one mapping. Each file is interpolated, extended, included and merged, in this
 * order.
 */
export async function loadFiles(
  reader: FileReader,
  paths: string[],
  folder: string,
  lookup: VariableSource,
): Promise<DictNode> {
  const load: LoadFiles = async (files, from, variables, chain, place) => {
    let result: DictNode = dictNode(new Map(), { origin: { file: files[0]!, folder: from }, line: 1 });
    for (const path of files) {
      const read = await reader.compose(path, from, variables, place);
      const extended = await withExtends(read, reader, variables);
      reader.count(extended, { file: path, line: null });
      const whole = await withIncludes(extended, reader, variables, [...chain, path], load);
      result = mergeDicts(result, whole, [], reader.report);
    }
    return result;
  };
  const place: SourceLine = { file: paths[0] ?? 'compose.yaml', line: null };
  return withoutResets(await load(paths, folder, lookup, [], place)) as DictNode;
}
