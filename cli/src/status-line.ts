import { plainText } from './output.ts';

/** The status line at the bottom of a terminal. Lines are printed above it; without a terminal there is no status
 * line. */
export class StatusLine {
  readonly #stream = process.stderr;
  #text = '';
  #drawn = false;

  set(text: string): void {
    this.#text = plainText(text);
    this.#draw();
  }

  print(line: string): void {
    this.#wipe();
    this.#stream.write(`${line}\n`);
    this.#draw();
  }

  clear(): void {
    this.#wipe();
    this.#text = '';
  }

  #wipe(): void {
    if (this.#stream.isTTY && this.#drawn) this.#stream.write('\r\u001b[2K');
    this.#drawn = false;
  }

  #draw(): void {
    if (!this.#stream.isTTY || !this.#text) return;
    this.#wipe();
    this.#stream.write(this.#text.slice(0, Math.max(0, this.#stream.columns - 1)));
    this.#drawn = true;
  }
}
