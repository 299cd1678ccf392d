/** Words of a command; `cut` is the shell operator at which Docker Compose stops, if any. */
export interface ShellWords {
  words: string[];
  cut: string | null;
}

/**
 * Splits a command as Docker Compose does: quotes and backslashes as in a shell, but no substitution, and everything
 * from the first `;`, `&`, `|`, `<` or `>` is dropped. Undefined for unbalanced quotes.
 */
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
      // Backquotes and `$( )` keep their delimiters.
      if (sign !== quote || sign === ')' || sign === '`') word += sign;
      if (sign === quote) quote = '';
    } else if (/[ \t\r\n]/.test(sign)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
    } else if (/[;&|<>]/.test(sign)) {
      // A number before `>` belongs to the redirection.
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
