import { type ParamDescriptor, UPLOAD_TYPES } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { presentError } from '../../../parts/problem-notice.tsx';
import { useFormat } from '../../../parts/use-format.ts';
import { useText } from '../../../text/use-text.ts';
import { assetQuery } from '../../generations/generation-queries.ts';
import { type ControlProps, useForm } from './control.ts';
import { type UploadState, useUpload } from './use-upload.ts';

type Accept = 'image' | 'audio' | 'video';

const ICONS = { image: 'image', audio: 'sound', video: 'film' } as const satisfies Record<Accept, IconName>;
const typesOf = (accept: Accept): string => UPLOAD_TYPES.filter((type) => type.startsWith(`${accept}/`)).join(',');

/** A frame for controls that are more than one element. */
export function MediaField(props: {
  label: string;
  value?: ReactNode;
  error: string | null;
  state: UploadState;
  children: ReactNode;
}) {
  const text = useText();
  const format = useFormat();
  const { state } = props;
  const failure =
    state.kind === 'failed'
      ? [presentError(state.error, text)].map(({ title, detail }) => detail ?? title)[0]
      : state.kind === 'tooLarge'
        ? text.playground.fileTooLarge(format.bytes(state.bytes), format.bytes(state.limit))
        : null;
  const message = failure ?? props.error;
  return (
    <fieldset className="field">
      <legend>
        {props.label}
        {props.value !== undefined && <span className="value">{props.value}</span>}
      </legend>
      {props.children}
      {message !== null && message !== undefined && (
        <span className="error" role="alert">
          <Icon name="warning" />
          {message}
        </span>
      )}
    </fieldset>
  );
}

/** Takes files by drop or by the file dialog. */
export function Dropzone(props: {
  label: string;
  accept: Accept;
  multiple?: boolean;
  state: UploadState;
  onFiles(files: File[]): void;
  onCancel(): void;
}) {
  const text = useText().playground;
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  const { state } = props;
  if (state.kind === 'sending') {
    return (
      <div className="dropzone" data-state="sending">
        <span className="url">{text.sending(state.name)}</span>
        <progress className="progress" max={1} value={state.share} aria-label={text.sending(state.name)} />
        <button className="button" data-size="small" type="button" onClick={props.onCancel}>
          {text.stopUpload}
        </button>
      </div>
    );
  }
  const take = (list: FileList | null) => {
    const files = [...(list ?? [])];
    if (files.length > 0) props.onFiles(props.multiple === true ? files : files.slice(0, 1));
  };
  return (
    <label
      className="dropzone"
      htmlFor={id}
      data-over={isOver ? '' : undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        take(event.dataTransfer.files);
      }}
    >
      <Icon name="upload" />
      <span>
        <b>{text.chooseFile[props.accept]}</b> {text.orDrop}
      </span>
      <input
        id={id}
        className="hidden"
        type="file"
        aria-label={props.label}
        accept={typesOf(props.accept)}
        multiple={props.multiple}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = '';
        }}
      />
    </label>
  );
}

/** An upload that a field holds: its picture, its size, and a way to take it out. */
export function Attachment(props: { assetId: string; accept: Accept; onRemove(): void; children?: ReactNode }) {
  const text = useText();
  const format = useFormat();
  const { accountId } = useForm();
  const query = useQuery(assetQuery(accountId, props.assetId));
  const asset = query.data;
  const size = asset?.width != null && asset.height !== null ? `${asset.width} × ${asset.height} px` : null;
  const length = asset?.durationSeconds == null ? null : format.span(asset.durationSeconds * 1000);
  const facts = [size, length, asset?.mimeType].filter((fact) => fact != null).join(', ');
  return (
    <div className="attachment">
      <span className="preview">
        {asset === undefined ? <Icon name={ICONS[props.accept]} /> : <img src={asset.thumbnailUrl} alt="" />}
      </span>
      <span>{query.error === null ? facts : text.generations.detail.removed}</span>
      <span className="actions">
        {props.children}
        <button
          className="button"
          data-kind="plain"
          data-shape="icon"
          type="button"
          aria-label={text.playground.remove}
          onClick={props.onRemove}
        >
          <Icon name="cross" />
        </button>
      </span>
    </div>
  );
}

const acceptOf = (descriptor: ParamDescriptor): Accept =>
  descriptor.kind === 'media' || descriptor.kind === 'media_list' ? descriptor.accept : 'image';

function OneFile({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  const { state, send, cancel } = useUpload(descriptor.name);
  const label = text.params[descriptor.name];
  const accept = acceptOf(descriptor);
  return (
    <MediaField label={label} error={error} state={state}>
      {typeof value === 'string' && value !== '' ? (
        <Attachment assetId={value} accept={accept} onRemove={() => onValue(undefined)} />
      ) : (
        <Dropzone
          label={label}
          accept={accept}
          state={state}
          onFiles={(files) => void send(files, ({ id }) => onValue(id))}
          onCancel={cancel}
        />
      )}
    </MediaField>
  );
}

export const ImageControl = OneFile;
export const AudioControl = OneFile;
export const VideoControl = OneFile;

export function ImagesControl({ descriptor, value, error, onValue }: ControlProps) {
  const text = useText().playground;
  const { values } = useForm();
  const { state, send, cancel } = useUpload(descriptor.name);
  const label = text.params[descriptor.name];
  if (descriptor.kind !== 'media_list') return null;
  const ids = Array.isArray(value) ? value : [];
  const { maxItems, accept, name } = descriptor;
  const sendAll = async (files: readonly File[]) => {
    const known = values[name];
    let next: readonly string[] = Array.isArray(known) ? known : [];
    await send(files.slice(0, maxItems - next.length), ({ id }) => {
      next = [...next, id];
      onValue([...next]);
    });
  };
  return (
    <MediaField label={label} value={text.items(ids.length, maxItems)} error={error} state={state}>
      {ids.map((id) => (
        <Attachment key={id} assetId={id} accept={accept} onRemove={() => onValue(ids.filter((each) => each !== id))} />
      ))}
      {ids.length < maxItems && (
        <Dropzone
          label={label}
          accept={accept}
          multiple={maxItems > 1}
          state={state}
          onFiles={(files) => void sendAll(files)}
          onCancel={cancel}
        />
      )}
    </MediaField>
  );
}
