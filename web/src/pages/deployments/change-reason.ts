/** The reason for a planned change. It is either a full sentence or a predicate: `takes over …`. */
export const changeReason = (reason: string): string =>
  reason.startsWith('takes over') ? `It ${reason}` : `Because ${reason}`;
