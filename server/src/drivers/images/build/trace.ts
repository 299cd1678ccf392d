import {
  decodeMessage,
  type ProtobufFields,
  bytesField,
  hasField,
  messageFields,
  numberField,
  textField,
} from '../session/protobuf.ts';

// BuildKit reports progress as protobuf messages; vertexes are steps.

export interface Vertex {
  digest: string;
  /** Such as `[build 2/5] RUN npm ci`. */
  name: string;
  cached: boolean;
  /** Engine time in milliseconds; undefined if it has not started. */
  startedAt: number | undefined;
  completedAt: number | undefined;
  error: string;
}

export interface Trace {
  vertexes: Vertex[];
  logs: { vertex: string; stream: 'stdout' | 'stderr'; message: Buffer }[];
}

export function readTrace(frame: Buffer): Trace {
  const message = decodeMessage(frame);
  return {
    vertexes: messageFields(message, 1).map((vertex) => ({
      digest: textField(vertex, 1),
      name: textField(vertex, 3),
      cached: numberField(vertex, 4) !== 0,
      startedAt: timeOf(vertex, 5),
      completedAt: timeOf(vertex, 6),
      error: textField(vertex, 7),
    })),
    logs: messageFields(message, 3).map((log) => ({
      vertex: textField(log, 1),
      stream: numberField(log, 3) === 2 ? 'stderr' : 'stdout',
      message: bytesField(log, 4),
    })),
  };
}

function timeOf(vertex: ProtobufFields, number: number): number | undefined {
  if (!hasField(vertex, number)) return undefined;
  const [time] = messageFields(vertex, number);
  return time && numberField(time, 1) * 1000 + numberField(time, 2) / 1e6;
}
