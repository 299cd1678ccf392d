/** A command in one line, taken apart; `cut` is the sign of a shell at which Docker Compose stops reading, if there is one. */
export interface ShellWords {
  words: string[];
  cut: string | null;
}

/** Takes a command apart as Docker Compose does: quotes and backslashes as in a shell, but nothing is run and nothing is
 * filled in, and from the first `;`, `&`, `|`, `<` or `>` on the rest is dropped. Undefined when quotes do not match. */
export function shellWords(text: string): ShellWords | undefined {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!;
    if (sign === '\\' && quote !== "'") {
      if (++i >= text.length) return undefined;
      word += text[i]!;
      isOpen = true;
    } else if (quote) {
      // What stands in backquotes or in `$( )` stays as it is, with its signs.
      if (sign !== quote || sign === ')' || sign === '`') word += sign;
      if (sign === quote) quote = '';
    } else if (/[ \t\r\n]/.test(sign)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
    } else if (/[;&|<>]/.test(sign)) {
      // The number before a `>` belongs to it.
      if (isOpen && !(sign === '>' && /^\d/.test(word))) words.push(word);
      return { words, cut: sign };
    } else if (sign === '(') {
      if (!word.endsWith('$')) return undefined;
      quote = ')';
      word += sign;
    } else if (sign === ')') return undefined;
    else {
      isOpen = true;
      if (sign === '"' || sign === "'") quote = sign;
      else word += sign;
      if (sign === '`') quote = sign;
    }
  }
  if (quote) return undefined;
  if (isOpen) words.push(word);
  return { words, cut: null };
}
