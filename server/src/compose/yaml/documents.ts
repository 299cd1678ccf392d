import { Composer, LineCounter, Parser, Lexer, type Document } from 'yaml';
import { failParsing } from '../problems.ts';
import { documentNode } from './document-node.ts';
import type { Node, NodeOrigin } from './nodes.ts';

/** A source tree returns at most 1 MB of a file: longer text might be truncated. */
const maxCharacters = 512 * 1024;
const maxDepth = 64;
/** Lexer tokens. A file of 5,000 lines has about 50,000. */
const maxTokens = 100_000;

/**
 * Parses the documents of a YAML file. Any input gives a result or a `ComposeError`, within bounded time and memory.
 */
export function yamlDocuments(text: string, origin: NodeOrigin): Node[] {
  refuseStrangeText(text, origin);
  const lines = new LineCounter();
  const documents = [...composed(text, origin, lines)];
  const lineAt = (offset: number) => Math.max(lines.linePos(offset).line, 1);
  for (const document of documents) {
    const [error] = document.errors;
    if (error)
      failParsing({ file: origin.file, line: lineAt(error.pos[0]) }, `not valid YAML: ${firstLine(error.message)}`);
  }
  return documents.flatMap((document) => documentNode(document, origin, lineAt) ?? []);
}

// We determine types (`plain-scalar.ts`) and duplicate keys ourselves: the library's check is quadratic.
const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

/** The library builds the syntax tree iteratively but walks it recursively, so deep nesting is rejected in between. */
function* composed(text: string, origin: NodeOrigin, lines: LineCounter): Generator<Document.Parsed> {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(options);
  const stop = (message: string) => failParsing({ file: origin.file, line: lines.lineStarts.length }, message);
  let count = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxTokens) stop('too many values for a compose file');
    for (const token of parser.next(lexeme)) yield* composer.next(token);
    if (parser.stack.length > maxDepth) stop(`nested too deeply: more than ${maxDepth} levels`);
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end();
}

function refuseStrangeText(text: string, { file }: NodeOrigin): void {
  const lineOf = (index: number) => text.slice(0, index).split('\n').length;
  if (text.length > maxCharacters) failParsing({ file, line: null }, `larger than ${maxCharacters / 1024} KB`);
  // Replacement character for invalid UTF-8.
  const replaced = text.indexOf('\uFFFD');
  if (replaced >= 0) failParsing({ file, line: lineOf(replaced) }, 'not UTF-8 text');
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const control = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F]/.exec(text);
  if (control) failParsing({ file, line: lineOf(control.index) }, 'a control character that YAML does not allow');
}

const firstLine = (message: string) => message.split('\n', 1)[0]!.slice(0, 200);
