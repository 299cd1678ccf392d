import { styleText } from 'node:util';
import { plainText, styled } from '../output.ts';

type Format = Parameters<typeof styleText>[0];

/** Omits green, yellow and red, which have a meaning elsewhere. */
const colours: Format[] = ['cyan', 'magenta', 'blue', 'cyanBright', 'magentaBright', 'blueBright'];

/** Aligned service names as line prefixes, each in its own colour. */
export class ServiceNames {
  readonly #names: string[] = [];
  readonly #stream: NodeJS.WriteStream;
  #width = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  add(names: readonly string[]): void {
    for (const name of names) if (!this.has(name)) this.#names.push(name);
    this.#width = Math.max(0, ...this.#names.map((name) => plainText(name).length));
  }

  /** Pads the name, so that the text after it is aligned. */
  padded(name: string): string {
    this.add([name]);
    const text = plainText(name).padEnd(this.#width);
    return styled(colours[this.#names.indexOf(name) % colours.length]!, text, this.#stream);
  }
}
