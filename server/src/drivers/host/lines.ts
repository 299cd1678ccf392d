import { StringDecoder } from 'node:string_decoder';

export const longestLine = 16 * 1024;
export const cutMark = ' [line cut]';

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Emits an unterminated line. */
  end(): void;
}

/** No regular expression: `\r+$` takes quadratic time for returns that something follows. */
function endWithoutReturns(text: string): number {
  let end = text.length;
  while (text[end - 1] === '\r') end--;
  return end;
}

/** Splits output into lines, independent of chunk boundaries. A line overwritten by carriage returns (a progress bar)
 * is emitted once, in its last state. */
export function splitLines(onLine: (line: string) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let begun = false;
  let cut = false;
  // A return at the end of a chunk is part of CR LF or overwrites the line: the next character tells.
  let returned = false;

  const restart = () => {
    [line, cut] = ['', false];
  };
  const emit = () => {
    onLine(cut ? line.toWellFormed() + cutMark : line);
    restart();
    [begun, returned] = [false, false];
  };
  const take = (part: string) => {
    if (!part) return;
    begun = true;
    const text = part.slice(0, endWithoutReturns(part));
    if (text) {
      const lastReturn = text.lastIndexOf('\r');
      if (returned || lastReturn >= 0) restart();
      const rest = text.slice(lastReturn + 1);
      const room = longestLine - line.length;
      cut ||= rest.length > room;
      line += rest.slice(0, room);
      returned = false;
    }
    returned ||= text.length < part.length;
  };
  const takeText = (text: string) => {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      take(text.slice(from, at));
      emit();
      from = at + 1;
    }
    take(text.slice(from));
  };
  return {
    push: (chunk) => takeText(decoder.write(chunk)),
    end() {
      takeText(decoder.end());
      if (begun) emit();
    },
  };
}
