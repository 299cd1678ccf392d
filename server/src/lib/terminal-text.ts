// Each alternative takes its characters once, so that hostile output costs no more than its length.
const sequences = [
  // OSC, DCS, SOS, PM and APC: titles, links, images. They last until a BEL or ST, or to the end of the line.
  '\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
  // CSI: colours, cursor movement, erasing.
  '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
  '\\u001b[ -/]*[0-~]?',
].join('|');
const escapes = new RegExp(sequences, 'g');
const controls = /(?!\t)\p{Cc}/gu;

/** A line of a program's output as text: escape sequences and control characters go, tabs stay. */
export const terminalText = (line: string): string => line.replaceAll(escapes, '').replaceAll(controls, '');
