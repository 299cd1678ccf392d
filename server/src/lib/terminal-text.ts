// Each alternative consumes its characters once, so that hostile output takes linear time.
const sequences = [
  // OSC, DCS, SOS, PM and APC: titles, links, images. They end with BEL or ST, or at the end of the line.
  '\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
  // CSI: colors, cursor movement, erasing.
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
  '\\u001b[ -/]*[0-~]?',
].join('|');
const escapes = new RegExp(sequences, 'g');
const controls = /(?!\t)\p{Cc}/gu;

/** Converts a line of terminal output to text: removes escape sequences and control characters, keeps tabs. */
export const terminalText = (line: string): string => line.replaceAll(escapes, '').replaceAll(controls, '');
