import { describe, expect, it } from 'vitest';
import { EngineClient } from '../runtime/docker/engine/client.ts';
import { parseDockerfile } from './dockerfile/parse.ts';
import { BuildRefusedError, PullFailedError } from './errors.ts';
import { refuseRemoteFilesIn, requireRegistryInReach, SharedEngine } from './shared-engine.ts';

const refused = (line: string) => {
  try {
    refuseRemoteFilesIn(parseDockerfile(`FROM scratch\n${line}\n`));
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(BuildRefusedError);
    return true;
  }
};

describe('shared engine', () => {
  it.each([
    'ADD http://169.254.169.254/latest /x',
    'add --chown=1:1 HTTPS://example.com/a.tar /x',
    'ADD a.txt http://127.0.0.1:4600/ /x/',
    'ADD ["http://10.0.0.1/a", "/x"]',
    'ADD "http:/"/10.0.0.1/a /x',
    String.raw`ADD http:/\/10.0.0.1/a /x`,
    'ADD $URL /x',
    'ADD ${A}${B} /x',
    'ADD git@10.0.0.1:a/b.git /x',
    'ADD \\\n  http://10.0.0.1/a \\\n  /x',
    'ONBUILD ADD http://10.0.0.1/a /x',
    // Arrays, also invalid ones that an engine reads as words.
    String.raw`ADD ["http\u003a//10.0.0.1/a", "/x"]`,
    String.raw`ADD ["http\u003A\u002f/10.0.0.1/a","/x"] and more`,
    'ADD [a]b http://10.0.0.1/a /x/',
    'ADD [ http://10.0.0.1/a /x',
    // Heredoc text to us, instructions to a builder without heredocs.
    'RUN echo <<CMD\nADD http://10.0.0.1/a /x\nCMD',
    'RUN echo " <<CMD"\nADD http://10.0.0.1/a /x\nCMD',
    'RUN echo \\\n\uFEFF\nADD http://10.0.0.1/a /x',
  ])('rejects a remote source in %s', (line) => expect(refused(line)).toBe(true));

  it.each([
    'ADD app.tar.gz /srv/',
    'ADD . $HOME/',
    'COPY a b',
    'RUN curl https://example.com',
    'ADD ["a b", "/x"]',
    'RUN <<X\nADD a b\nX',
  ])('accepts %s', (line) => expect(refused(line)).toBe(false));

  it('uses no registry that only the machine reaches', async () => {
    const engine = new EngineClient(() => {
      throw new Error('the engine is not asked');
    });
    const shared = new SharedEngine(engine, 'public');
    for (const name of ['127.0.0.1:4600/x', 'localhost:5432/x', '10.0.0.1/x:1', '169.254.169.254/x', '[::1]:5000/x'])
      await expect(shared.requireReach(name), name).rejects.toBeInstanceOf(PullFailedError);
    for (const name of ['node:22', 'mooring/prj_1:dep_1', '93.184.215.14/team/app']) await shared.requireReach(name);
  });

  it('uses no registry at a link-local address, shared or not', async () => {
    for (const name of ['169.254.169.254/x', '169.254.169.254:80/latest/meta-data:1', '[fe80::1]:5000/x'])
      await expect(requireRegistryInReach(name, 'private'), name).rejects.toThrow('link-local');
    for (const name of ['127.0.0.1:5000/x', 'localhost:5000/x', 'known-to-the-engine.invalid/x'])
      await requireRegistryInReach(name, 'private');
  });
});
