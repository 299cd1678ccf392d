/** Makes untrusted text safe to show: one line, without control characters, of limited length. */
export function safeText(text: string, most = 300): string {
  const plain = text
    .slice(0, most + 1)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

const mostItems = 200;

/** Makes a list of texts safe, at most 200. */
export const shownAll = (texts: readonly string[], most = 300): string[] =>
  texts.slice(0, mostItems).map((text) => safeText(text, most));
