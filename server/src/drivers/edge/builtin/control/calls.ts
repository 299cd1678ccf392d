import type { EdgeCertificate, EdgeProject, EdgeTraffic } from '../../edge.ts';
import { checkProject, InvalidProjectError } from '../check-project.ts';
import type { AskService } from '../challenges.ts';
import { isChallengeText, isChallengeToken } from '../challenge-responses.ts';
import type { Hello, EdgePortSettings, ServiceAddress } from '../protocol.ts';
import type { TrafficControl } from '../traffic-control.ts';
import { checkRanges } from '../trusted-proxies.ts';

/** Calls of the control socket. */
export interface Control extends TrafficControl {
  hello(): Hello;
  list(): readonly EdgeProject[];
  held(): string[];
  point(project: EdgeProject): Promise<void>;
  remove(key: string): Promise<void>;
  certificates(): { host: string; fingerprint: string }[];
  useCertificate(certificate: Partial<EdgeCertificate>): Promise<{ tlsPort: number }>;
  removeCertificate(host: string): Promise<void>;
  usePorts(ports: EdgePortSettings): Promise<void>;
  trustProxies(ranges: string[]): Promise<void>;
  limitAddresses(perAddress: number): Promise<void>;
  useWorkers(count: number): Promise<void>;
  answerChallengesAt(service: ServiceAddress): Promise<void>;
  /** Asks the service for the response to a challenge, for a worker. */
  askService: AskService;
  answerChallenge(token: string, keyAuthorization: string | null): Promise<void>;
  traffic(sinceMinute: number): Promise<EdgeTraffic>;
  handOver(execPath: string, program: string): Promise<void>;
  stop(): void;
}

type Body = Record<string, unknown>;
type Call = (control: Control, body: Body, query: URLSearchParams) => unknown;

const deploymentOf = (body: Body): string => String(body['deploymentId']);

/** Calls that respond with a value. */
export const calls: Record<string, Call> = {
  'GET /projects': (control) => control.list(),
  'PUT /projects': (control, body) => control.point(checkProject(body)),
  'DELETE /projects': (control, _body, query) => control.remove(query.get('key') ?? ''),
  'POST /drain': (control, body) => control.drain(deploymentOf(body), Number(body['withinMs'])),
  'POST /hold': (control, body) =>
    control.hold(deploymentOf(body), { withinMs: Number(body['withinMs']), drainMs: Number(body['drainMs']) }),
  'GET /holds': (control) => control.held(),
  'POST /resume': (control, body) => control.resume(deploymentOf(body)),
  'GET /certificates': (control) => control.certificates(),
  'PUT /certificates': (control, body) => control.useCertificate(body),
  'DELETE /certificates': (control, _body, query) => control.removeCertificate(query.get('host') ?? ''),
  'PUT /ports': (control, body) => control.usePorts(checkPorts(body)),
  'PUT /trusted-proxies': (control, { ranges }) => control.trustProxies(checkRanges(ranges)),
  'PUT /address-limit': (control, { perAddress }) => control.limitAddresses(checkCount(perAddress)),
  'PUT /workers': (control, { workers }) => control.useWorkers(checkCount(workers)),
  'PUT /challenges': (control, body) => control.answerChallengesAt(checkAddress(body)),
  'GET /challenge-answer': async (control, _body, query) =>
    (await control.askService(query.get('url') ?? '', query.get('host') ?? ''))?.toString('base64') ?? null,
  'PUT /challenge-answers': (control, { token, keyAuthorization }) => {
    if (!isChallengeToken(token) || !(keyAuthorization === null || isChallengeText(keyAuthorization)))
      throw new InvalidProjectError('this is not a token and its answer');
    return control.answerChallenge(token, keyAuthorization);
  },
  'GET /traffic': (control, _body, query) => control.traffic(Number(query.get('since'))),
  'POST /hand-over': (control, body) => control.handOver(String(body['execPath']), String(body['program'])),
};

function checkCount(value: unknown): number {
  if (!Number.isInteger(value) || Number(value) < 0) throw new InvalidProjectError('this is not a number');
  return Number(value);
}

const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

function checkPorts({ tlsPort, publicPort = null, publicTlsPort = null }: Partial<EdgePortSettings>): EdgePortSettings {
  const fine =
    (tlsPort === 0 || isPort(tlsPort)) && [publicPort, publicTlsPort].every((each) => each === null || isPort(each));
  if (!fine) throw new InvalidProjectError('these are not ports');
  return { tlsPort: tlsPort!, publicPort, publicTlsPort };
}

function checkAddress({ host, port }: Partial<ServiceAddress>): ServiceAddress {
  if (typeof host !== 'string' || !host || !isPort(port)) throw new InvalidProjectError('this is not an address');
  return { host, port: port! };
}
