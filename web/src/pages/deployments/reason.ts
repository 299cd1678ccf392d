/** Why a plan does to a service what it does. A reason is a sentence of its own, or what the service does: `takes over …`. */
export const whyOf = (reason: string): string =>
  reason.startsWith('takes over') ? `It ${reason}` : `Because ${reason}`;
