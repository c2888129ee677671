import type { Member } from '@atelier/contract/console';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';

interface MemberTableProps {
  readonly members: readonly Member[];
  /** Null if the person may not change members. */
  readonly onRole: ((member: Member) => void) | null;
  readonly onRemove: ((member: Member) => void) | null;
}

export function MemberTable({ members, onRole, onRemove }: MemberTableProps) {
  const { members: text, roles } = useText();
  const format = useFormat();
  const menuOf = (member: Member): MenuItem[] => [
    ...(onRole === null ? [] : [{ label: text.changeRole, icon: 'settings' as const, onSelect: () => onRole(member) }]),
    ...(onRemove === null
      ? []
      : [{ label: text.remove, icon: 'cross' as const, tone: 'danger' as const, onSelect: () => onRemove(member) }]),
  ];
  return (
    <section className="section" aria-labelledby="members">
      <div className="section-head">
        <h2 id="members">{text.title}</h2>
        <span className="beside">{text.count(members.length)}</span>
      </div>
      <table className="table" data-stack="card">
        <TableHead
          columns={[text.columns.person, text.columns.role, text.columns.joined]}
          actions={onRole !== null ? text.columns.actions : null}
        />
        <tbody>
          {members.map((member) => (
            <tr key={member.personId}>
              <th scope="row">
                {member.name === '' ? member.email : member.name}{' '}
                {member.isYou && (
                  <span className="badge" data-tone="accent">
                    {text.you}
                  </span>
                )}
                <span className="sub">{member.email}</span>
              </th>
              <td data-label={text.columns.role}>
                {roles[member.role]}
                <span className="sub">{text.roleHints[member.role]}</span>
              </td>
              <td data-label={text.columns.joined} className="nowrap">
                {format.day(member.joinedAt)}
              </td>
              {onRole !== null && (
                <td className="act">
                  <Menu
                    label={text.actionsFor(member.name === '' ? member.email : member.name)}
                    items={menuOf(member)}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
