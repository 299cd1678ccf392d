import { StaleFenceError } from '../stale-fence.ts';
import { createHash, X509Certificate } from 'node:crypto';
import type { Edge, EdgeCertificate, EdgeProject } from './edge.ts';

/** An edge that serves nothing and records its state, for tests. */
export function createMemoryEdge(): Edge {
  const projects = new Map<string, EdgeProject>();
  const certificates = new Map<string, EdgeCertificate>();
  return {
    kind: 'memory',
    ensure: async () => {},
    async point(project) {
      if ((projects.get(project.key)?.fence ?? 0) > project.fence)
        throw new StaleFenceError(`${project.key} was pointed by a newer worker`);
      projects.set(project.key, project);
    },
    async remove(key) {
      projects.delete(key);
    },
    list: async () => [...projects.values()],
    drain: async () => 0,
    hold: async () => 0,
    held: async () => [],
    resume: async () => {},
    async useCertificate(certificate) {
      certificates.set(certificate.host, certificate);
    },
    async removeCertificate(host) {
      certificates.delete(host);
    },
    certificates: async () =>
      [...certificates.values()].map(({ host, chain }) => ({ host, fingerprint: fingerprintOf(chain) })),
    answerChallengesAt: async () => {},
    answerChallenge: async () => {},
    traffic: async () => ({ run: 'memory', minutes: [] }),
    gone: () => new Promise(() => {}),
    url: (host, { secure } = { secure: false }) => `${secure ? 'https' : 'http'}://${host}`,
    stop: async () => {},
  };
}

const fingerprintOf = (chain: string): string =>
  createHash('sha256').update(new X509Certificate(chain).raw).digest('hex');
