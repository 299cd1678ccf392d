import { type SshConnection, SshError } from './ssh.ts';

const mostBytes = 64 * 1024;

/** Runs a short command and returns its output, up to a limit. */
export async function runAndCollect(
  connection: SshConnection,
  argv: string[],
  signal: AbortSignal,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const printed: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  const tooMuch = new AbortController();
  let bytes = 0;
  const { code } = await connection.exec(argv, {
    signal: AbortSignal.any([signal, tooMuch.signal]),
    onOutput(stream, chunk) {
      bytes += chunk.length;
      if (bytes <= mostBytes) printed[stream].push(chunk);
      else tooMuch.abort(new SshError('lost', `${argv[0]} printed too much output`));
    },
  });
  const textOf = (chunks: Buffer[]) => Buffer.concat(chunks).toString();
  return { code, stdout: textOf(printed.stdout), stderr: textOf(printed.stderr) };
}
