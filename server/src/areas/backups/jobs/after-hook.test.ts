import { describe, expect, it } from 'vitest';
import { CancelledError } from '../../../events/lease.ts';
import { BackupError } from '../sources/source.ts';
import { withAfterHook } from './after-hook.ts';

describe('the hook after a backup', () => {
  const lines: string[] = [];
  const job = (signal = new AbortController().signal) => ({ signal, say: (line: string) => void lines.push(line) });
  const fails = (error: Error) => () => Promise.reject(error);
  const away = () => new BackupError('destination_failed', 'the disk is away', 'Attach it.');

  it('runs after a success, and its error is the error', async () => {
    await expect(withAfterHook(async () => {}, fails(new Error('exit code 3')), job())).rejects.toThrow(
      /^exit code 3$/,
    );
    await withAfterHook(
      async () => {},
      async () => {},
      job(),
    );
    expect(lines).toEqual([]);
  });

  it('runs after a failure, whose error stays the first', async () => {
    let runs = 0;
    await expect(withAfterHook(fails(away()), async () => void runs++, job())).rejects.toThrow(/^the disk is away$/);
    expect(runs).toBe(1);
    await expect(withAfterHook(fails(away()), fails(new Error('exit code 3')), job())).rejects.toMatchObject({
      code: 'destination_failed',
      hint: 'Attach it.',
      message: 'the disk is away; the command after the backup failed, too: exit code 3',
    });
    expect(lines.splice(0)).toEqual(['The command after the backup failed, too: exit code 3']);
  });

  it('runs after a cancel with time of its own, but not when the service stops', async () => {
    for (const [reason, isOwn] of [
      [new CancelledError('cancelled'), true],
      [new Error('stopping'), false],
    ] as const) {
      let hasTime: boolean | undefined;
      const hook = async (late: AbortSignal) => void (hasTime = !late.aborted);
      await expect(withAfterHook(fails(reason), hook, job(AbortSignal.abort(reason)))).rejects.toBe(reason);
      expect(hasTime).toBe(isOwn);
    }
  });
});
