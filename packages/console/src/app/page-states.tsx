import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { SkeletonTable } from '../parts/loaded.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useText } from '../text/use-text.ts';
import { Gate } from './gate.tsx';

export function PagePending() {
  return <SkeletonTable />;
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return <ProblemNotice error={error} onRetry={reset} />;
}

export function NotFound() {
  const text = useText();
  return (
    <Gate title={text.errors.notFound} description={text.errors.notFoundHint}>
      <div className="actions">
        <Link className="button" to="/">
          {text.errors.home}
        </Link>
      </div>
    </Gate>
  );
}

/** For a person who belongs to no account. */
export function NoAccount() {
  const text = useText();
  return <Gate title={text.shell.noAccount} description={text.shell.noAccountHint} />;
}
