import { spawn } from 'node:child_process';
import { FirewallError, MissingProgramError } from '../firewall.ts';

/** Runs a program with this input and returns its stdout. */
export type RunProgram = (file: string, args: readonly string[], input?: string) => Promise<string>;

const longestMs = 20_000;
const longestOutput = 8_000_000;

/** `enter` is a command prefix, for example to enter another namespace. */
export const runProgram =
  (enter: readonly string[] = []): RunProgram =>
  (file, args, input = '') =>
    new Promise((resolve, reject) => {
      const [program, ...rest] = [...enter, file, ...args];
      // A service that was started by hand may not have /usr/sbin in its PATH.
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
      const child = spawn(program!, rest, { env, stdio: ['pipe', 'pipe', 'pipe'], timeout: longestMs });
      const output = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const)
        child[stream].setEncoding('utf8').on('data', (chunk: string) => {
          if (output[stream].length < longestOutput) output[stream] += chunk;
        });
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') reject(new MissingProgramError(`${file} is not installed`, { cause: error }));
        else reject(new FirewallError(`${file} does not run: ${error.message}`, { cause: error }));
      });
      child.once('close', (code) => {
        if (code === 0) return resolve(output.stdout);
        const said = output.stderr.trim().split('\n').slice(0, 3).join(' ').slice(0, 500);
        reject(new FirewallError(`${file} failed: ${said || `exit code ${code}`}`));
      });
      // The program may exit before it has read its input; its exit code tells.
      child.stdin.on('error', () => {}).end(input);
    });
