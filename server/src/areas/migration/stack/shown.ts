/** Text of a machine that is not ours, as it is shown: one line, without what could steer a terminal, not without end. */
export function safeText(text: string, most = 300): string {
  const plain = text
    .slice(0, most + 1)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

const mostItems = 200;

/** The same for many of them; what is beyond counting is left out. */
export const shownAll = (texts: readonly string[], most = 300): string[] =>
  texts.slice(0, mostItems).map((text) => safeText(text, most));
