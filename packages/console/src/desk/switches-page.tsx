import { CHANNELS, type Channel } from '@atelier/contract';
import type { Switches } from '@atelier/contract/desk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../api/request.ts';
import { TextField } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Status } from '../parts/status.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useToast } from '../parts/toast.tsx';
import { DeskLink } from './desk-link.tsx';
import { switchesQuery } from './desk-queries.ts';
import { ReasonDialog } from './reason-dialog.tsx';
import { useDeskText } from './use-desk-text.ts';

type Open = { kind: 'maintenance' } | { kind: 'channel'; channel: Channel } | null;

export function SwitchesPage() {
  const text = useDeskText().switches;
  const query = useQuery(switchesQuery);
  const [open, setOpen] = useState<Open>(null);
  return (
    <>
      <PageHead title={text.title} description={text.description} />
      <Loaded query={query}>
        {(switches) => (
          <>
            <Maintenance switches={switches} onOpen={() => setOpen({ kind: 'maintenance' })} />
            <Channels switches={switches} onOpen={(channel) => setOpen({ kind: 'channel', channel })} />
            <ClosedModels ids={switches.closedModels} />
            {open?.kind === 'maintenance' && <MaintenanceDialog switches={switches} onClose={() => setOpen(null)} />}
            {open?.kind === 'channel' && (
              <ChannelDialog switches={switches} channel={open.channel} onClose={() => setOpen(null)} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Maintenance({ switches, onOpen }: { switches: Switches; onOpen(): void }) {
  const text = useDeskText().switches;
  const isOn = switches.maintenance !== null;
  return (
    <section className="section" aria-labelledby="maintenance">
      <div className="section-head">
        <h2 id="maintenance">{text.maintenance}</h2>
        <span className="beside">{text.maintenanceHint}</span>
        <button className="button" data-kind={isOn ? 'primary' : 'danger'} type="button" onClick={onOpen}>
          {isOn ? text.end : text.start}
        </button>
      </div>
      <p>
        <Status status={isOn ? 'pending' : 'succeeded'} icon={isOn ? 'warning' : 'succeeded'}>
          {isOn ? text.isOn : text.isOff}
        </Status>{' '}
        {switches.maintenance}
      </p>
    </section>
  );
}

function Channels({ switches, onOpen }: { switches: Switches; onOpen(channel: Channel): void }) {
  const text = useDeskText().switches;
  return (
    <section className="section" aria-labelledby="channels">
      <div className="section-head">
        <h2 id="channels">{text.channels}</h2>
      </div>
      <table className="table" data-density="tight">
        <TableHead columns={[text.channel, text.state]} actions={text.title} />
        <tbody>
          {CHANNELS.map((channel) => {
            const isClosed = switches.closedChannels.includes(channel);
            return (
              <tr key={channel}>
                <th scope="row">
                  {channel}
                  <span className="sub">{text.about[channel]}</span>
                </th>
                <td>
                  <Status status={isClosed ? 'failed' : 'succeeded'} icon={isClosed ? 'lock' : 'succeeded'}>
                    {isClosed ? text.closed : text.open}
                  </Status>
                </td>
                <td className="act">
                  <button className="button" data-size="small" type="button" onClick={() => onOpen(channel)}>
                    {isClosed ? text.openChannel(channel) : text.closeChannel(channel)}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function ClosedModels({ ids }: { ids: readonly string[] }) {
  const text = useDeskText().switches;
  return (
    <section className="section" aria-labelledby="closed-models">
      <div className="section-head">
        <h2 id="closed-models">{text.closedModels}</h2>
      </div>
      {ids.length === 0 ? (
        <p className="quiet">{text.noClosedModels}</p>
      ) : (
        <ul className="stack">
          {ids.map((id) => (
            <li key={id}>
              <DeskLink to={`/models/${id}`}>{id}</DeskLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Keeps what the server answered, and tells. */
function useKeep(): (next: Switches) => void {
  const text = useDeskText().switches;
  const queries = useQueryClient();
  const toast = useToast();
  return (next) => {
    queries.setQueryData(switchesQuery.queryKey, next);
    toast(text.saved);
  };
}

function MaintenanceDialog({ switches, onClose }: { switches: Switches; onClose(): void }) {
  const text = useDeskText().switches;
  const keep = useKeep();
  const [message, setMessage] = useState('');
  const isOn = switches.maintenance !== null;
  return (
    <ReasonDialog
      title={isOn ? text.end : text.start}
      description={text.maintenanceHint}
      action={isOn ? text.end : text.start}
      danger={!isOn}
      disabled={!isOn && message.trim() === ''}
      change={async (reason) =>
        keep(
          await request('POST /api/desk/switches/maintenance', {
            body: { message: isOn ? null : message.trim(), reason },
          }),
        )
      }
      onClose={onClose}
    >
      {!isOn && (
        <TextField label={text.message} required autoFocus maxLength={200} text={message} onText={setMessage} />
      )}
    </ReasonDialog>
  );
}

function ChannelDialog(props: { switches: Switches; channel: Channel; onClose(): void }) {
  const text = useDeskText().switches;
  const keep = useKeep();
  const { channel } = props;
  const closed = !props.switches.closedChannels.includes(channel);
  const action = closed ? text.closeChannel(channel) : text.openChannel(channel);
  return (
    <ReasonDialog
      title={action}
      action={action}
      danger={closed}
      change={async (reason) =>
        keep(
          await request('POST /api/desk/switches/channels/{channel}', {
            params: { channel },
            body: { closed, reason },
          }),
        )
      }
      onClose={props.onClose}
    />
  );
}
