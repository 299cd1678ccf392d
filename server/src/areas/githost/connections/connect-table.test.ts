import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ConnectFacts,
  connectTable,
  connectTablePage,
  type ConnectWay,
  chooseConnectWay,
} from './connect-table.ts';

const nothing: ConnectFacts = {
  source: 'any',
  mode: 'self-hosted',
  app: 'no',
  client: 'none',
  redirect: 'yes',
  owner: 'yes',
  alone: 'no',
  cloud: 'no',
  gh: 'missing',
};

const all: { [K in keyof ConnectFacts]: ConnectFacts[K][] } = {
  source: ['any', 'oauth', 'cli'],
  mode: ['self-hosted', 'cloud'],
  app: ['yes', 'no'],
  client: ['none', 'id', 'secret'],
  redirect: ['yes', 'no'],
  owner: ['yes', 'no'],
  alone: ['yes', 'no'],
  cloud: ['yes', 'no'],
  gh: ['missing', 'signed_out', 'signed_in'],
};

const everything = Object.entries(all).reduce<Partial<ConnectFacts>[]>(
  (combinations, [fact, values]) => combinations.flatMap((each) => values.map((value) => ({ ...each, [fact]: value }))),
  [{}],
) as ConnectFacts[];

const finder = (facts: ConnectFacts, asked: string[] = []) =>
  Object.fromEntries(
    Object.entries(facts).map(([fact, value]) => [
      fact,
      () => {
        asked.push(fact);
        return value as never;
      },
    ]),
  ) as unknown as Parameters<typeof chooseConnectWay>[0];
const way = (facts: Partial<ConnectFacts>) => chooseConnectWay(finder({ ...nothing, ...facts }));

describe('connect table', () => {
  it.each<[Partial<ConnectFacts>, ConnectWay]>([
    [{}, 'nothing'],
    [{ mode: 'cloud' }, 'nothing'],
    [{ app: 'yes', client: 'secret' }, 'install'],
    [{ app: 'yes', client: 'secret', alone: 'yes' }, 'claim'],
    [{ app: 'yes', client: 'secret', alone: 'yes', owner: 'no' }, 'install'],
    [{ app: 'yes', client: 'secret', alone: 'yes', mode: 'cloud' }, 'install'],
    [{ app: 'yes', client: 'secret', mode: 'cloud', owner: 'no' }, 'install'],
    [{ app: 'yes', client: 'secret', gh: 'signed_in', cloud: 'yes' }, 'install'],
    [{ app: 'yes' }, 'claim'],
    [{ app: 'yes', client: 'id' }, 'claim'],
    [{ app: 'yes', owner: 'no' }, 'no_proof'],
    [{ app: 'yes', owner: 'no', gh: 'signed_in' }, 'no_proof'],
    [{ app: 'yes', owner: 'no', client: 'id' }, 'device'],
    [{ app: 'yes', mode: 'cloud' }, 'no_proof'],
    [{ app: 'yes', mode: 'cloud', client: 'id' }, 'no_proof'],
    [{ client: 'secret' }, 'web'],
    [{ client: 'secret', mode: 'cloud', owner: 'no' }, 'web'],
    [{ client: 'secret', redirect: 'no' }, 'device'],
    [{ client: 'secret', redirect: 'no', mode: 'cloud' }, 'nothing'],
    [{ client: 'id' }, 'device'],
    [{ client: 'id', mode: 'cloud' }, 'nothing'],
    [{ client: 'id', cloud: 'yes', gh: 'signed_in' }, 'device'],
    [{ cloud: 'yes' }, 'cloud'],
    [{ cloud: 'yes', gh: 'signed_in' }, 'cloud'],
    [{ gh: 'signed_in' }, 'cli'],
    [{ gh: 'signed_in', owner: 'no' }, 'only_owner'],
    [{ gh: 'signed_out' }, 'terminal'],
    [{ gh: 'signed_out', owner: 'no' }, 'terminal'],
    [{ source: 'oauth' }, 'no_client'],
    [{ source: 'oauth', gh: 'signed_in' }, 'no_client'],
    [{ source: 'oauth', app: 'yes' }, 'no_client'],
    [{ source: 'oauth', app: 'yes', client: 'secret' }, 'web'],
    [{ source: 'oauth', client: 'id' }, 'device'],
    [{ source: 'oauth', client: 'id', mode: 'cloud' }, 'no_client'],
    [{ source: 'oauth', cloud: 'yes' }, 'cloud'],
    [{ source: 'cli' }, 'install_gh'],
    [{ source: 'cli', app: 'yes', client: 'secret', cloud: 'yes' }, 'install_gh'],
    [{ source: 'cli', gh: 'signed_in' }, 'cli'],
    [{ source: 'cli', gh: 'signed_in', owner: 'no' }, 'only_owner'],
    [{ source: 'cli', gh: 'signed_out' }, 'terminal'],
    [{ source: 'cli', mode: 'cloud' }, 'no_cli_in_cloud'],
    [{ source: 'cli', mode: 'cloud', gh: 'signed_in' }, 'no_cli_in_cloud'],
  ])('%j: %s', async (facts, expected) => {
    expect(await way(facts)).toBe(expected);
  });

  it('covers all combinations, and every row is reachable', async () => {
    const found = new Set<ConnectWay>();
    for (const facts of everything) found.add(await way(facts));
    expect([...found].toSorted()).toEqual([...new Set(connectTable.map((row) => row.way))].toSorted());
  });

  it('offers no machine sign-in in cloud mode, or to anyone but the instance owner', async () => {
    for (const facts of everything) {
      const taken = await way(facts);
      if (facts.mode === 'cloud')
        expect(['device', 'cli', 'terminal', 'install_gh', 'claim', 'cloud']).not.toContain(taken);
      if (facts.owner === 'no') expect(['cli', 'claim']).not.toContain(taken);
      if (taken === 'install') expect(facts).toMatchObject({ app: 'yes', client: 'secret' });
      if (taken === 'device' || taken === 'web') expect(facts.client).not.toBe('none');
    }
  });

  it('does not run gh unless it matters', async () => {
    const asked: string[] = [];
    await chooseConnectWay(finder({ ...nothing, client: 'secret' }, asked));
    expect(asked).not.toContain('gh');
    expect(new Set(asked).size, 'each once').toBe(asked.length);
  });

  it('is in the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../../docs/operations/github-app.md'), 'utf8');
    const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-');
    expect(plain(page)).toContain(plain(connectTablePage()));
  });
});
