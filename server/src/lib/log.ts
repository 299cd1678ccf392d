import pino, { type Logger } from 'pino';

export type Log = Logger;

/** Writes structured logs to standard output: JSON lines, or text for people. */
export function createLog(level: string, format: 'json' | 'text'): Log {
  const options = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime };
  if (format === 'json') return pino(options);
  return pino(options, { write: (line: string) => void process.stdout.write(asText(line)) });
}

const names: Record<number, string> = { 20: 'debug', 30: 'info ', 40: 'warn ', 50: 'error', 60: 'fatal' };

function asText(line: string): string {
  const { level, time, msg, err, reqId, ...rest } = JSON.parse(line) as Record<string, unknown> & {
    err?: { stack?: string };
  };
  const facts = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const clock = String(time).slice(11, 19);
  const stack = err?.stack ? `\n${err.stack}` : '';
  const id = typeof reqId === 'string' ? [`id=${reqId}`] : [];
  return `${[clock, names[level as number], msg, ...facts, ...id].join(' ')}${stack}\n`;
}
