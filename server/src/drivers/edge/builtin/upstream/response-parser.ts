import { BadResponseError, parseHead, readFields, type ResponseHead } from './response-head.ts';

export const mostHeadBytes = 65_536;
/** 13 digits: up to 2^52, no size is rounded. */
const [mostPieces, mostSizeDigits, mostExtensionBytes] = [16, 13, 1024];
const extension = /^[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"[\t\x20!#-[\]-~\x80-\xff]*"))?$/;

/** What the next byte belongs to. */
type Part =
  | 'head'
  | 'body with a length'
  | 'body until the end'
  | 'chunk size'
  | 'chunk extension'
  | 'LF of the size'
  | 'chunk'
  | 'CR of the chunk'
  | 'LF of the chunk'
  | 'trailers'
  | 'over';

/** Parses the responses on one connection, one after the other. Refuses everything ambiguous. */
export class ResponseParser {
  /** The final response's head, once it was read. */
  head: ResponseHead | null = null;
  /** Names and values in turn. */
  trailers: string[] = [];
  /** Range of the body in the buffer of the last `read`; chunks are moved together. */
  bodyStart = 0;
  bodyEnd = 0;
  /** Set by a 101: the buffer from here on belongs to the new protocol. */
  upgradedAt = -1;
  hasBody = true;
  /** Bytes arrived that belong to no response. */
  hasExtra = false;
  #part: Part = 'over';
  #left = 0;
  #sizeDigits = 0;
  #extension = '';
  /** Earlier reads of an incomplete head or of trailers, and the size of all of them, interim ones included. */
  #earlier: Buffer[] = [];
  #bytes = 0;
  /** How many bytes of CR LF CR LF were just read. */
  #matched = 0;

  /** Prepares for the response to a request. */
  begin(method: string): void {
    this.head = null;
    if (this.trailers.length) this.trailers = [];
    this.hasBody = method !== 'HEAD';
    this.#bytes = 0;
    this.#part = 'head';
    this.#matched = 0;
  }

  get isOver(): boolean {
    return this.#part === 'over';
  }

  /** Reads bytes. `onInformation` gets the status of each interim response but 101. */
  read(buffer: Buffer, length: number, onInformation: (status: number) => void): void {
    this.bodyStart = this.bodyEnd = 0;
    for (let at = 0; at < length && this.upgradedAt < 0;) {
      if ((this.hasExtra = this.isOver)) return;
      at =
        this.#part === 'head' ? this.#readHead(buffer, at, length, onInformation) : this.#readBody(buffer, at, length);
    }
  }

  /** The app closed the connection. Returns whether the response is complete. */
  end(): boolean {
    if (this.#part === 'body until the end') this.#part = 'over';
    return this.isOver;
  }

  #readHead(buffer: Buffer, start: number, length: number, onInformation: (status: number) => void): number {
    const end = this.#emptyLine(buffer, start, length);
    if (end < 0) return length;
    const head = parseHead(this.#text(buffer, start, end));
    this.#matched = 0;
    if (head.status < 200 && head.status !== 101) {
      onInformation(head.status);
      return end;
    }
    this.head = head;
    this.#part = this.#bodyOf(head);
    if (head.status === 101) this.upgradedAt = end;
    return end;
  }

  #bodyOf(head: ResponseHead): Part {
    this.hasBody &&= head.status >= 200 && head.status !== 204 && head.status !== 304;
    if (!this.hasBody) return 'over';
    this.#sizeDigits = 0;
    this.#left = Math.max(head.length, 0);
    if (head.isChunked) return 'chunk size';
    if (head.length >= 0) return head.length ? 'body with a length' : 'over';
    head.keepsAlive = false;
    return 'body until the end';
  }

  /** Returns the end of the empty line that ends a head or trailers; -1 while it is incomplete. */
  #emptyLine(buffer: Buffer, start: number, length: number): number {
    let matched = this.#matched;
    let at = start;
    while (at < length && matched < 4) {
      const byte = buffer[at++]!;
      if ((byte === 10) !== ((matched & 1) === 1)) throw new BadResponseError('a line does not end with CR LF');
      matched = byte === 10 ? matched + 1 : byte !== 13 ? 0 : matched === 2 ? 3 : 1;
    }
    this.#matched = matched;
    this.#bytes += at - start;
    if (this.#bytes > mostHeadBytes) throw new BadResponseError('its headers are too large');
    if (matched === 4) return at;
    this.#earlier.push(Buffer.from(buffer.subarray(start, at)));
    if (this.#earlier.length > mostPieces) this.#earlier = [Buffer.concat(this.#earlier)];
    return -1;
  }

  #text(buffer: Buffer, start: number, end: number): string {
    const last = buffer.toString('latin1', start, end);
    return this.#earlier.length ? `${Buffer.concat(this.#earlier.splice(0)).toString('latin1')}${last}` : last;
  }

  #readBody(buffer: Buffer, at: number, length: number): number {
    const part = this.#part;
    if (part === 'trailers') return this.#readTrailers(buffer, at, length);
    if (part === 'body with a length' || part === 'chunk') {
      const size = Math.min(length - at, this.#left);
      this.#left -= size;
      if (!this.#left) this.#part = part === 'chunk' ? 'CR of the chunk' : 'over';
      return this.#keep(buffer, at, at + size);
    }
    if (part === 'body until the end') return this.#keep(buffer, at, length);
    this.#part = this.#afterFraming(part, buffer[at]!);
    return at + 1;
  }

  #keep(buffer: Buffer, from: number, to: number): number {
    if (this.bodyEnd === this.bodyStart) this.bodyStart = this.bodyEnd = from;
    else if (from !== this.bodyEnd) buffer.copyWithin(this.bodyEnd, from, to);
    this.bodyEnd += to - from;
    return to;
  }

  /** Reads one byte between chunks. */
  #afterFraming(part: Part, byte: number): Part {
    switch (part) {
      case 'chunk size': {
        const digit = digitOf(byte);
        if (digit < 16 && this.#sizeDigits++ < mostSizeDigits) {
          this.#left = this.#left * 16 + digit;
          return part;
        }
        if (digit < 16 || !this.#sizeDigits || (byte !== 13 && byte !== 59))
          throw new BadResponseError('the size of a chunk is not valid');
        return byte === 13 ? 'LF of the size' : 'chunk extension';
      }
      case 'chunk extension':
        if (byte !== 13 && this.#extension.length < mostExtensionBytes) {
          this.#extension += String.fromCharCode(byte);
          return part;
        }
        if (byte !== 13 || !extension.test(this.#extension))
          throw new BadResponseError('the extension of a chunk is not valid');
        this.#extension = '';
        return 'LF of the size';
      case 'LF of the size':
        expectByte(byte, 10);
        this.#sizeDigits = 0;
        // Trailers end like a head of which a line was just read.
        this.#matched = 2;
        return this.#left ? 'chunk' : 'trailers';
      default:
        expectByte(byte, part === 'CR of the chunk' ? 13 : 10);
        return part === 'CR of the chunk' ? 'LF of the chunk' : 'chunk size';
    }
  }

  #readTrailers(buffer: Buffer, start: number, length: number): number {
    const end = this.#emptyLine(buffer, start, length);
    if (end < 0) return length;
    readFields(this.#text(buffer, start, end), 0, (name, value) => this.trailers.push(name, value));
    this.#part = 'over';
    return end;
  }
}

function expectByte(byte: number, expected: 10 | 13): void {
  if (byte !== expected) throw new BadResponseError('a chunk does not end where it says');
}

/** The value of a hexadecimal digit; 16 for other bytes. */
function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : 16;
}
