import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { awayContract } from './away.ts';
import { certificatesContract } from './certificates.ts';
import { challengesContract } from './challenges.ts';
import { holdingContract } from './holding.ts';
import { http2Contract } from './http2.ts';
import { namesContract } from './names.ts';
import { passingOnContract } from './passing-on.ts';
import { projectsContract } from './projects.ts';
import { redirectsContract } from './redirects.ts';
import { type RunningEdge, Stage } from './stage.ts';
import { staticContract } from './static.ts';
import { switchingContract } from './switching.ts';
import { trafficContract } from './traffic.ts';

type Start = () => Promise<RunningEdge>;

/** What every edge must do, whatever it is made of. */
export function edgeContract(name: string, start: Start): void {
  describe(`edge contract: ${name}`, () => {
    const stage = on(start, false);
    namesContract(stage);
    passingOnContract(stage);
    awayContract(stage);
    switchingContract(stage);
    holdingContract(stage);
    projectsContract(stage);
    challengesContract(stage);
    trafficContract(stage);
    staticContract(() => stage);
  });
}

/** The same for visitors who come by TLS, and what there is with TLS only. */
export function secureEdgeContract(name: string, start: Start): void {
  describe(`edge contract with TLS: ${name}`, () => {
    const stage = on(start, true);
    passingOnContract(stage);
    switchingContract(stage);
    holdingContract(stage);
    challengesContract(stage);
    trafficContract(stage);
    certificatesContract(stage);
    redirectsContract(stage);
    http2Contract(stage);
  });
}

function on(start: Start, secure: boolean): Stage {
  const stage = new Stage(secure);
  beforeAll(() => stage.open(start));
  afterAll(stage.close);
  afterEach(() => stage.closeApps());
  return stage;
}
