import type { ReactNode } from 'react';

export const Mono = ({ children }: { children: ReactNode }) => (
  <span className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{children}</span>
);
