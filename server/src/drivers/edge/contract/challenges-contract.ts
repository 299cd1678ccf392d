import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ask, portOf } from '../../../../test/rig/edge.ts';
import type { EdgeStage } from './stage-rig.ts';

const at = '/.well-known/acme-challenge/';

/** ACME challenges, answered by the service or by stored responses. */
export function challengesContract(stage: EdgeStage, reachesService: boolean): void {
  const service = async (slow = false) => {
    const started = await stage.app((req, res) => {
      if (slow) return;
      const known = req.url === `${at}known` && req.headers['x-mooring-asked-host'] !== undefined;
      const large = req.url === `${at}large`;
      res.writeHead(known || large ? 200 : 404).end(large ? 'x'.repeat(100_000) : req.headers['x-mooring-asked-host']);
    });
    const { host, port } = started.target;
    await stage.edge.answerChallengesAt({ host, port });
    return started;
  };

  describe('ACME challenges', () => {
    it('are answered for any name from the given response until it is removed', async () => {
      const { host } = await stage.deployed((req, res) => res.end(`app ${req.url}`));
      await stage.edge.answerChallenge('given', 'given.thumb');
      await stage.edge.answerChallenge('other', 'other.thumb');
      for (const name of [host, 'nobody.localhost'])
        expect(await stage.ask(name, `${at}given`)).toMatchObject({ status: 200, text: 'given.thumb' });
      expect(await stage.ask(host, `${at}given`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
      expect((await stage.ask(host, `${at}given`, { method: 'POST' })).text).toBe(`app ${at}given`);
      await stage.edge.answerChallenge('given', 'again.thumb');
      expect((await stage.ask(host, `${at}given`)).text).toBe('again.thumb');
      await stage.edge.answerChallenge('given', null);
      await stage.edge.answerChallenge('given', null);
      expect((await stage.ask(host, `${at}given`)).text).toBe(`app ${at}given`);
      expect((await stage.ask(host, `${at}other`)).text).toBe('other.thumb');
      for (const [token, text] of [
        ['../x', 'y'],
        ['', 'y'],
        ['x', 'y'.repeat(5000)],
        ['constructor', ''],
      ] as const)
        await expect(stage.edge.answerChallenge(token, text), token).rejects.toThrow('not a token');
      expect((await stage.ask(host, `${at}constructor`)).text).toBe(`app ${at}constructor`);
    });
  });

  if (!reachesService) return;
  describe('ACME challenges forwarded to the service', () => {
    it('are answered by the service for any name, or by the app if it does not know the token', async () => {
      const asked = await service();
      const { host } = await stage.deployed((req, res) => res.end(`app ${req.url}`));
      for (const name of [host, 'nobody.localhost']) {
        expect(await stage.ask(name, `${at}known`)).toMatchObject({ status: 200, text: name });
        expect(await ask(portOf(stage.edge), name, `${at}known?q`)).toMatchObject({ status: 200, text: name });
      }
      expect(await stage.ask(host, `${at}known`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
      expect((await stage.ask(host, `${at}unknown`)).text).toBe(`app ${at}unknown`);
      expect((await stage.ask(host, `${at}large`)).text).toBe(`app ${at}large`);
      expect((await stage.ask('nobody.localhost', `${at}unknown`)).status).toBe(404);
      const before = asked.seen.length;
      expect((await stage.ask(host, `${at}known`, { method: 'POST' })).text).toBe(`app ${at}known`);
      for (const path of [at, `${at}a/b`, `${at}a%2fb`, `${at}..`, `${at}${'x'.repeat(300)}`])
        expect((await stage.ask(host, path)).text).toBe(`app ${path}`);
      expect(asked.seen.length).toBe(before);
    });

    it('fall back to the app when the service hangs or is down', async () => {
      const asked = await service(true);
      const { host } = await stage.deployed((_req, res) => res.end('app'));
      // Wait for a new rate-limit window.
      await sleep(1000);
      const began = Date.now();
      const replies = await Promise.all(Array.from({ length: 40 }, () => stage.ask(host, `${at}known`)));
      expect(replies.map(({ text }) => text)).toEqual(replies.map(() => 'app'));
      expect(Date.now() - began).toBeLessThan(6000);
      expect(asked.seen.length).toBeLessThanOrEqual(16);
      await asked.close();
      expect((await stage.ask(host, `${at}known`)).text).toBe('app');
    });
  });
}
