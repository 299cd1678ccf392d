import { posix } from 'node:path';
import type { SourceTree } from '../../detect/detect.ts';
import { failParsing, type SourceLine, type ComposeReport } from '../problems.ts';
import type { VariableSource } from '../values/template.ts';
import { yamlDocuments } from '../yaml/documents.ts';
import { dictNode, kindName, sourceLineOf, type DictNode, type Node, type NodeOrigin } from '../yaml/nodes.ts';
import type { ExampleValues } from './example-values.ts';
import { type Fallbacks, interpolate } from './interpolate.ts';
import { mergeDicts } from './merge.ts';
import { parentFolder, pathFrom } from './paths.ts';

const maxFiles = 500;
const maxCharacters = 8 * 1024 * 1024;
const maxNodes = 100_000;

/** Reads the files of a project from its source, and nothing else. */
export class FileReader {
  readonly report: ComposeReport;
  /** Values for variables that are not set and have no default. */
  generate: VariableSource | undefined;
  /** The same, if `.env` is missing. */
  examples: ExampleValues | undefined;
  /** Examples that were read, by the file that they stand for. */
  readonly knownExamples = new Map<string, Promise<ExampleValues | undefined>>();
  private readonly tree: SourceTree;
  private files = 0;
  private characters = 0;
  private nodes = 0;
  private readonly parsed = new Map<string, Node[]>();

  constructor(tree: SourceTree, report: ComposeReport) {
    this.tree = tree;
    this.report = report;
  }

  /** Returns the text of a file; undefined if it does not exist. */
  async text(path: string, place: SourceLine): Promise<string | undefined> {
    if (++this.files > maxFiles) failParsing(place, `more than ${maxFiles} files are read for this project`);
    const text = await this.tree.read(path);
    this.characters += text?.length ?? 0;
    if (this.characters > maxCharacters) failParsing(place, 'the files of this project are too large in total');
    return text;
  }

  private readonly fallbacks: Fallbacks = {
    unset: (name) => this.generate?.(name) ?? this.examples?.use(name),
    required: (name) => this.generate?.(name),
  };

  /** Limits the total size: services that extend a large one are large as well. */
  count({ size }: Node, place: SourceLine): void {
    this.nodes += size;
    if (this.nodes > maxNodes) failParsing(place, `more than ${maxNodes} values in this project`);
  }

  /** Whether a file or folder exists. */
  async has(path: string): Promise<boolean> {
    if (path === '') return true;
    const names = await this.list(parentFolder(path));
    const name = posix.basename(path);
    return names.includes(name) || names.includes(`${name}/`);
  }

  /** Names in a folder; those of folders end with a slash. */
  list = (folder: string): Promise<string[]> => this.tree.list(folder);

  /** Resolves the path of a referenced file, which must be in the source. */
  locate(folder: string, written: string, place: SourceLine, what: string): string {
    if (/^(https?|git|ssh|oci):|^git@/.test(written))
      failParsing(place, `${what}: ${written.slice(0, 100)} is not a file of the source`);
    const { path, isInside } = pathFrom(folder, written);
    return isInside ? path : failParsing(place, `${what}: ${written.slice(0, 100)} is outside the source`);
  }

  /** Returns the parsed YAML documents of a file. */
  async documents({ file, folder }: NodeOrigin, place: SourceLine): Promise<Node[]> {
    const key = `${file}\0${folder}`;
    const before = this.parsed.get(key);
    if (before) return before;
    const text = await this.text(file, place);
    if (text === undefined) return failParsing(place, `${file} does not exist in the source`);
    const now = yamlDocuments(text, { file, folder });
    this.parsed.set(key, now);
    return now;
  }

  /** Returns a compose file as one mapping with variables substituted. */
  async compose(path: string, folder: string, lookup: VariableSource, place: SourceLine): Promise<DictNode> {
    const origin: NodeOrigin = { file: path, folder };
    let result: DictNode = dictNode(new Map(), { origin, line: 1 });
    for (const document of await this.documents(origin, place)) {
      const node = interpolate(document, lookup, this.report, this.fallbacks);
      if (node.kind !== 'dict')
        return failParsing(sourceLineOf(node), `a compose file must be a mapping, not ${kindName(node)}`);
      result = mergeDicts(result, node, [], this.report);
    }
    return result;
  }
}
