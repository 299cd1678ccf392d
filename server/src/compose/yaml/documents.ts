import { Composer, LineCounter, Parser, Lexer, type Document } from 'yaml';
import { fail } from '../problems.ts';
import { documentNode } from './document-node.ts';
import type { Node, Origin } from './nodes.ts';

/** A tree gives at most a megabyte of a file: what is longer than this might have been cut. */
const maxCharacters = 512 * 1024;
const maxDepth = 64;
/** Words and signs of the syntax. A file of five thousand lines has some fifty thousand. */
const maxTokens = 100_000;

/** The documents of a YAML file. Whatever the file is: an answer or a `ComposeError`, within bounds of time and memory. */
export function yamlDocuments(text: string, origin: Origin): Node[] {
  refuseStrangeText(text, origin);
  const lines = new LineCounter();
  const documents = [...composed(text, origin, lines)];
  const lineAt = (offset: number) => Math.max(lines.linePos(offset).line, 1);
  for (const document of documents) {
    const [error] = document.errors;
    if (error) fail({ file: origin.file, line: lineAt(error.pos[0]) }, `not valid YAML: ${firstLine(error.message)}`);
  }
  return documents.flatMap((document) => documentNode(document, origin, lineAt) ?? []);
}

// Types are ours to tell (`plain-scalar.ts`), and so are keys that stand twice: the library compares each with all others.
const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

/** The library builds a syntax tree without recursion and then walks it with: deep nesting is refused in between. */
function* composed(text: string, origin: Origin, lines: LineCounter): Generator<Document.Parsed> {
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(options);
  const stop = (message: string) => fail({ file: origin.file, line: lines.lineStarts.length }, message);
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

function refuseStrangeText(text: string, { file }: Origin): void {
  const lineOf = (index: number) => text.slice(0, index).split('\n').length;
  if (text.length > maxCharacters) fail({ file, line: null }, `larger than ${maxCharacters / 1024} KB`);
  // What a reader puts in place of bytes that are no UTF-8.
  const replaced = text.indexOf('\uFFFD');
  if (replaced >= 0) fail({ file, line: lineOf(replaced) }, 'not UTF-8 text');
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const control = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F]/.exec(text);
  if (control) fail({ file, line: lineOf(control.index) }, 'a control character that YAML does not allow');
}

const firstLine = (message: string) => message.split('\n', 1)[0]!.slice(0, 200);
