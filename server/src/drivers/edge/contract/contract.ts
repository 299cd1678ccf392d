import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { awayContract } from './unreachable-apps-contract.ts';
import { certificatesContract } from './certificates-contract.ts';
import { challengesContract } from './challenges-contract.ts';
import { holdingContract } from './holding-contract.ts';
import { http2Contract } from './http2-contract.ts';
import { namesContract } from './routing-contract.ts';
import { passingOnContract } from './forwarding-contract.ts';
import { projectsContract } from './projects-contract.ts';
import { redirectsContract } from './redirects-contract.ts';
import { type RunningEdge, EdgeStage } from './stage-rig.ts';
import { staticContract } from './static-contract.ts';
import { replicasContract } from './replicas-contract.ts';
import { switchingContract } from './switching-contract.ts';
import { trafficContract } from './traffic-contract.ts';

type Start = () => Promise<RunningEdge>;

/** Differences between edges: one on another server may not reach the service. */
type Abilities = { reachesService: boolean };
const allAbilities: Abilities = { reachesService: true };

/** Behavior of every edge, however it is built. */
export function edgeContract(name: string, start: Start, { reachesService } = allAbilities): void {
  describe(`edge contract: ${name}`, () => {
    const stage = on(start, false);
    namesContract(stage);
    passingOnContract(stage);
    awayContract(stage);
    switchingContract(stage);
    replicasContract(stage);
    holdingContract(stage);
    projectsContract(stage);
    challengesContract(stage, reachesService);
    trafficContract(stage);
    staticContract(() => stage);
  });
}

/** The same over TLS, and behavior that exists with TLS only. */
export function secureEdgeContract(name: string, start: Start, { reachesService } = allAbilities): void {
  describe(`edge contract with TLS: ${name}`, () => {
    const stage = on(start, true);
    passingOnContract(stage);
    switchingContract(stage);
    replicasContract(stage);
    holdingContract(stage);
    challengesContract(stage, reachesService);
    trafficContract(stage);
    certificatesContract(stage);
    redirectsContract(stage);
    http2Contract(stage);
  });
}

function on(start: Start, secure: boolean): EdgeStage {
  const stage = new EdgeStage(secure);
  beforeAll(() => stage.open(start));
  afterAll(stage.close);
  afterEach(() => stage.closeApps());
  return stage;
}
