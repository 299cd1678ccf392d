import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import { shellCommandLine } from './shell-quote.ts';
import { type SshConnection, SshError, type SshExecOptions, type SshExit } from './ssh.ts';

const killAfterMs = 2_000;

/** An authenticated connection. */
export class OpenConnection implements SshConnection {
  readonly hostKey: string;
  readonly #client: Client;
  readonly #gone = new AbortController();

  constructor(client: Client, hostKey: string) {
    this.#client = client;
    this.hostKey = hostKey;
    client.on('error', (error) => this.#end(error));
    client.on('close', () => this.#end());
  }

  #end(error?: Error): void {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort(new SshError('lost', `the connection was lost${error ? `: ${error.message}` : ''}`));
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  async exec(argv: string[], options: SshExecOptions): Promise<SshExit> {
    options.signal.throwIfAborted();
    let running: Promise<SshExit> | undefined;
    await this.#open<ClientChannel>((done) =>
      this.#client.exec(shellCommandLine(argv), (error, channel) => {
        // Attached synchronously: the exit of a short command may arrive in the same packet, and would be missed.
        if (!error) running = this.#run(channel, options);
        done(error, channel);
      }),
    );
    return running!;
  }

  #run(channel: ClientChannel, { onOutput, onExit, signal, input }: SshExecOptions): Promise<SshExit> {
    return new Promise((resolve, reject) => {
      let exit: SshExit | undefined;
      let timer: NodeJS.Timeout | undefined;
      const settle = (act: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.gone.removeEventListener('abort', onGone);
        act();
      };
      const onAbort = () => {
        channel.signal('TERM');
        timer = setTimeout(() => {
          channel.signal('KILL');
          channel.close();
          // Servers that deliver no signals (OpenSSH for root) close the channel only when the command exits by
          // itself.
          settle(() => reject(signal.reason as Error));
        }, killAfterMs);
      };
      const onGone = () => settle(() => reject(this.gone.reason as Error));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      this.gone.addEventListener('abort', onGone, { once: true });
      channel.on('data', (chunk: Buffer) => onOutput('stdout', chunk));
      channel.stderr.on('data', (chunk: Buffer) => onOutput('stderr', chunk));
      channel.on('exit', (code: number | null, by?: string) => {
        exit = { code, signal: by ?? null };
        onExit?.(exit);
      });
      channel.on('error', (error: Error) => settle(() => reject(error)));
      channel.on('close', () => {
        if (this.gone.aborted) return;
        settle(() => {
          if (signal.aborted) reject(signal.reason as Error);
          else if (exit) resolve(exit);
          else reject(new SshError('lost', 'the server did not report how the command ended'));
        });
      });
      if (input) input.pipe(channel);
      else channel.end();
    });
  }

  openSocket(path: string): Promise<Duplex> {
    return this.#open<Duplex>((done) => this.#client.openssh_forwardOutStreamLocal(path, done));
  }

  openPort(host: string, port: number): Promise<Duplex> {
    return this.#open<Duplex>((done) => this.#client.forwardOut('127.0.0.1', 0, host, port, done));
  }

  async sftp(): Promise<SFTPWrapper> {
    const sftp = await this.#open<SFTPWrapper>((done) => this.#client.sftp(done));
    // A server may send invalid data. Pending requests get the error; an unhandled one would crash the process.
    sftp.on('error', () => {});
    return sftp;
  }

  /** From here on it is not handed out any more. */
  close(): void {
    this.#end();
    this.#client.end();
  }

  /** Opens a channel. */
  #open<T>(ask: (done: (error: Error | undefined, opened: T) => void) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const onGone = () => reject(this.gone.reason as Error);
      if (this.gone.aborted) return onGone();
      this.gone.addEventListener('abort', onGone, { once: true });
      ask((error, opened) => {
        this.gone.removeEventListener('abort', onGone);
        if (error) reject(error);
        else resolve(opened);
      });
    });
  }
}
