import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** A status has a shape and a word: colour is never the only sign. */
export function Status({ status, icon, children }: { status: string; icon: IconName; children: ReactNode }) {
  return (
    <span className="status" data-status={status}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

export function Coins({ children }: { children: ReactNode }) {
  return (
    <span className="coins">
      <Icon name="coin" />
      {children}
    </span>
  );
}
