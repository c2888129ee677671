import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { revokeOtherSessions, revokeSession } from '../../api/auth.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { presentError } from '../../parts/problem-notice.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { nameBrowser } from './name-browser.ts';
import { ownSessionQuery, sessionsQuery } from './security-queries.ts';

export function SessionSection() {
  const whole = useText();
  const text = whole.security.sessions;
  const format = useFormat();
  const toast = useToast();
  const queries = useQueryClient();
  const own = useQuery(ownSessionQuery).data?.session;
  const query = useQuery(sessionsQuery);
  const options = {
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      toast(text.ended);
    },
    onError: (error: unknown) => toast(presentError(error, whole).title, 'danger'),
  };
  const end = useMutation({ mutationFn: revokeSession, ...options });
  const endOthers = useMutation({ mutationFn: revokeOtherSessions, ...options });
  return (
    <section className="section" aria-labelledby="sessions">
      <div className="section-head">
        <h2 id="sessions">{text.title}</h2>
        <span className="beside">{text.description}</span>
        {(query.data?.length ?? 0) > 1 && (
          <button className="button" data-size="small" type="button" onClick={() => endOthers.mutate()}>
            {text.endOthers}
          </button>
        )}
      </div>
      <Loaded query={query}>
        {(sessions) => (
          <table className="table" data-stack="lines" data-density="tight">
            <TableHead columns={[text.browser, text.address, text.lastSeen]} actions={whole.keys.columns.actions} />
            <tbody>
              {sessions.map((session) => (
                <tr key={session.id}>
                  <th scope="row">
                    {nameBrowser(session.userAgent ?? '') ?? text.unknown}{' '}
                    {session.id === own?.id && (
                      <span className="badge" data-tone="accent">
                        {text.current}
                      </span>
                    )}
                  </th>
                  <td data-wide className="mono">
                    {session.ipAddress == null || session.ipAddress === '' ? text.unknown : session.ipAddress}
                  </td>
                  <td data-wide>{format.near(session.updatedAt)}</td>
                  <td className="act">
                    {session.id !== own?.id && (
                      <button
                        className="button"
                        data-size="small"
                        type="button"
                        disabled={end.isPending}
                        onClick={() => end.mutate(session.token)}
                      >
                        {text.end}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </section>
  );
}
