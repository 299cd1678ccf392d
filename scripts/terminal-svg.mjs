// Records commands on a terminal and draws them as an animated SVG.
import { spawn } from 'node:child_process';

const [columns, shownRows, lineHeight, letterWidth, margin, top] = [92, 22, 19, 8.4, 18, 34];
const label = 'A terminal: an app is deployed, and later rolled back to an earlier release';
const colours = { 31: '#f28b82', 32: '#81c995', 33: '#fdd663', 34: '#8ab4f8', 36: '#78d9ec', 90: '#9aa0a6' };
const typingMs = 60;
/** Caps pauses, so that builds do not bore the viewer. */
const paceOf = (ms) => Math.min(ms, 700);

/** Records terminal output with the time of each chunk. */
export function record(command, { cwd, env }) {
  const words = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const line = `stty cols ${columns}; ${words}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks = [];
  child.stdout.setEncoding('utf8').on('data', (text) => chunks.push({ at: Date.now(), text }));
  return new Promise((resolve) => child.once('close', () => resolve(chunks)));
}

/** Lines in their final state: overwritten progress lines are gone. */
function linesOf(chunks) {
  const lines = [];
  let [text, start] = ['', chunks[0]?.at ?? 0];
  for (const { at, text: piece } of chunks)
    for (const letter of piece.replaceAll('\r\n', '\n')) {
      if (!text) start = at;
      if (letter === '\n') {
        lines.push({ at: start, text });
        text = '';
      } else if (letter === '\r') text = '';
      else text += letter;
    }
  return [...lines, ...(text ? [{ at: start, text }] : [])];
}

/** `typed` contains the commands and their output. */
export function terminalSvg(typed) {
  const rows = [];
  let now = 400;
  for (const { command, chunks } of typed) {
    rows.push({
      ms: now,
      spans: [
        { text: '$ ', fill: '#81c995' },
        { text: command, fill: '#ffffff' },
      ],
    });
    now += command.length * typingMs;
    let before = chunks[0]?.at ?? 0;
    for (const { at, text } of linesOf(chunks)) {
      now += paceOf(at - before) + 40;
      before = at;
      rows.push({ ms: now, spans: spansOf(text) });
    }
    now += 900;
  }
  const total = now + 4000;
  const [width, height] = [Math.ceil(columns * letterWidth + 2 * margin), top + shownRows * lineHeight + margin];
  const percent = (ms) => `${((ms / total) * 100).toFixed(2)}%`;
  const drawn = rows.map(({ spans }, index) => {
    const text = spans.map(({ text: each, fill }) => `<tspan fill="${fill}">${escaped(each)}</tspan>`).join('');
    return `<text x="${margin}" y="${top + (index + 1) * lineHeight}">${text}</text>`;
  });
  // Future rows are below the window; each new one moves everything up by one.
  const moves = rows.map(
    ({ ms }, index) => `${percent(ms)}{transform:translateY(${(shownRows - index - 1) * lineHeight}px)}`,
  );
  const end = (shownRows - rows.length) * lineHeight;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${margin + 6 + index * 18}" cy="20" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
@keyframes type{0%{transform:translateY(${shownRows * lineHeight}px)}${moves.join('')}100%{transform:translateY(${end}px)}}
.rows{transform:translateY(${end}px);animation:type ${total}ms step-end infinite}
@media (prefers-reduced-motion:reduce){.rows{animation:none}}
</style>
<clipPath id="window"><rect y="${top}" width="${width}" height="${shownRows * lineHeight + 6}"/></clipPath>
<rect width="100%" height="100%" rx="10" fill="#10202b"/>
${dots.join('')}
<g clip-path="url(#window)"><g class="rows">
${drawn.join('\n')}
</g></g>
</svg>
`;
}

const escape = String.fromCodePoint(27);
const sequence = new RegExp(`(${escape}\\[[0-9;?]*[A-Za-z])`);
const colour = new RegExp(`^${escape}\\[([0-9;]*)m$`);

/** Keeps colours and bold; drops all other control sequences. */
function spansOf(line) {
  const spans = [];
  let fill = '#e3e8ec';
  for (const part of line.split(sequence)) {
    const codes = colour.exec(part)?.[1];
    if (codes === undefined && !part.startsWith(escape)) spans.push({ text: part, fill });
    for (const code of codes?.split(';') ?? []) fill = colours[code] ?? (code === '1' ? '#ffffff' : '#e3e8ec');
  }
  return spans.filter(({ text }) => text);
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
