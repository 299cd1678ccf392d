import { failParsing } from '../problems.ts';
import { dictNode, listNode, scalarNode, type MappingEntry, type Node, type NodeOrigin } from '../yaml/nodes.ts';

const maxDepth = 20;
const maxNodes = 20_000;

/** Converts a JSON value to a node without a line. */
export function jsonNode(value: unknown, origin: NodeOrigin): Node {
  const where = { origin, line: null };
  let count = 0;
  const convert = (given: unknown, depth: number): Node => {
    if (depth > maxDepth || ++count > maxNodes)
      return failParsing({ file: origin.file, line: null }, 'is nested too deeply, or too large');
    if (Array.isArray(given))
      return listNode(
        given.map((item) => convert(item, depth + 1)),
        where,
      );
    if (typeof given === 'object' && given !== null) {
      const entries = Object.entries(given)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]): [string, MappingEntry] => [key, { line: null, node: convert(item, depth + 1) }]);
      return dictNode(new Map(entries), where);
    }
    if (typeof given === 'string' || typeof given === 'boolean' || given === null) return scalarNode(given, where);
    if (typeof given === 'number' && Number.isFinite(given)) return scalarNode(given, where);
    return failParsing({ file: origin.file, line: null }, 'contains a value that is not JSON');
  };
  return convert(value, 0);
}
