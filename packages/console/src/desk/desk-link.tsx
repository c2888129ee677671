import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link within the desk. The types of links know the routes of the console, which the desk does not have. */
export function DeskLink({ to, className, children }: { to: string; className?: string; children: ReactNode }) {
  return (
    <Link
      to={to as NonNullable<LinkProps['to']>}
      className={className}
      activeOptions={{ exact: to === '/' }}
      activeProps={{ 'aria-current': 'page' }}
    >
      {children}
    </Link>
  );
}
