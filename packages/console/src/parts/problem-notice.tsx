import { AuthError } from '../api/auth.ts';
import { ApiProblem } from '../api/problem.ts';
import { useSessionApiUrl } from '../api/session.ts';
import type { Text } from '../text/en.ts';
import { useText } from '../text/use-text.ts';
import { Icon } from './icon.tsx';

export interface Presented {
  readonly title: string;
  readonly detail: string | null;
  readonly advice: string | null;
  readonly issues: readonly string[];
  readonly requestId: string | null;
  /** Path of the documentation page. */
  readonly page: string | null;
}

/** Any error as a person should see it. */
export function presentError(error: unknown, text: Text): Presented {
  const plain = { detail: null, advice: null, issues: [], requestId: null, page: null };
  if (error instanceof AuthError) {
    const known: Readonly<Record<string, string>> = text.auth.errors;
    return { ...plain, title: known[error.code] ?? (error.message === '' ? text.errors.unknown : error.message) };
  }
  if (!(error instanceof ApiProblem)) return { ...plain, title: text.errors.unknown, advice: text.errors.reload };
  const { body, code } = error;
  if (body === null) return { ...plain, title: text.errors.unreachable, advice: text.errors.checkConnection };
  const texts: Partial<Record<string, { title: string; advice: string }>> = text.problems;
  const known = code === null ? undefined : texts[code];
  return {
    title: known?.title ?? body.title,
    detail: body.detail === body.title ? null : body.detail,
    advice: known?.advice ?? null,
    issues: (body.issues ?? []).map(({ path, message }) => `${path}: ${message}`),
    requestId: body.instance ?? null,
    page: body.type,
  };
}

/** The one way to show an error: what is wrong, what to do, where to read more. */
export function ProblemNotice({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const text = useText();
  const apiUrl = useSessionApiUrl();
  const { title, detail, advice, issues, requestId, page } = presentError(error, text);
  return (
    <div className="notice" data-tone="danger" role="alert">
      <Icon name="failed" />
      <div>
        <strong>{title}</strong>
        {detail !== null && <p>{detail}</p>}
        {issues.map((issue) => (
          <p key={issue}>{issue}</p>
        ))}
        {advice !== null && <p>{advice}</p>}
        {(requestId !== null || page !== null) && (
          <p className="quiet">
            {requestId !== null && (
              <>
                {text.errors.request} <code>{requestId}</code>{' '}
              </>
            )}
            {page !== null && apiUrl !== null && (
              <a href={new URL(page, apiUrl).href} target="_blank" rel="noreferrer">
                {text.errors.readMore}
              </a>
            )}
          </p>
        )}
      </div>
      {onRetry !== undefined && (
        <button className="button" data-size="small" type="button" onClick={onRetry}>
          {text.actions.retry}
        </button>
      )}
    </div>
  );
}
