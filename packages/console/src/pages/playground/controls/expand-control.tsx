import type { ParamDescriptor } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, useRef } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { useFormat } from '../../../parts/use-format.ts';
import { useText } from '../../../text/use-text.ts';
import { assetQuery } from '../../generations/generation-queries.ts';
import { type ControlProps, useForm } from './control.ts';
import { createFrame, type Frame, outwards, paramOf, SIDES, type Side, toAllowed } from './expand-frame.ts';

type Range = Extract<ParamDescriptor, { kind: 'range' }>;
type Sides = { readonly [S in Side]?: Range };

/**
 * The four sides by which a picture grows, as one field: handles to pull, and a slider for each side. The field is shown
 * in the place of the first side; the others show nothing.
 */
export function ExpandControl({ descriptor, error }: ControlProps) {
  const text = useText().playground;
  const format = useFormat();
  const { descriptors, values, setValue } = useForm();
  const ranges = descriptors.filter((each): each is Range => each.kind === 'range' && each.ui.control === 'expand');
  if (ranges[0]?.name !== descriptor.name) return null;
  const sides: Sides = Object.fromEntries(
    SIDES.flatMap((side) => ranges.filter(({ name }) => name === paramOf(side)).map((range) => [side, range])),
  );
  const readSide = (side: Side) => Number(values[paramOf(side)] ?? sides[side]?.min ?? 0);
  const setSide = (side: Side, value: number) => {
    const range = sides[side];
    if (range !== undefined) setValue(range.name, toAllowed(range, value));
  };
  return (
    <fieldset className="field">
      <legend>{text.expand.title}</legend>
      <Handles sides={sides} ranges={ranges} readSide={readSide} onSide={setSide} />
      <div className="sides">
        {SIDES.map((side) => {
          const range = sides[side];
          if (range === undefined) return null;
          return (
            <label key={side}>
              <span>
                {text.expand[side]}
                <span className="value">{format.number(readSide(side))}</span>
              </span>
              <input
                className="slider"
                type="range"
                aria-label={text.params[range.name]}
                min={range.min}
                max={range.max}
                step={range.step}
                value={readSide(side)}
                onChange={(event) => setSide(side, Number(event.target.value))}
              />
            </label>
          );
        })}
      </div>
      {error !== null && (
        <span className="error">
          <Icon name="warning" />
          {error}
        </span>
      )}
    </fieldset>
  );
}

const HANDLE_SHARE = 0.05;

/** The picture with the ground around it that will be made. The sliders do the same for the keyboard. */
function Handles(props: {
  sides: Sides;
  ranges: readonly Range[];
  readSide(side: Side): number;
  onSide(side: Side, value: number): void;
}) {
  const { accountId, values } = useForm();
  const pictureId = typeof values.image === 'string' && values.image !== '' ? values.image : null;
  const asset = useQuery({ ...assetQuery(accountId, pictureId ?? ''), enabled: pictureId !== null }).data;
  const picture = asset?.width != null && asset.height !== null ? { width: asset.width, height: asset.height } : null;
  const frame = createFrame(props.ranges, picture);
  const drawing = useRef<SVGSVGElement>(null);
  const marginOf = (side: Side, value: number) => value * frame.perValue(side);
  const most = (side: Side) => marginOf(side, props.sides[side]?.max ?? 0);
  const now = (side: Side) => marginOf(side, props.readSide(side));
  const box = {
    x: -most('left'),
    y: -most('top'),
    width: frame.width + most('left') + most('right'),
    height: frame.height + most('top') + most('bottom'),
  };
  const outer = {
    x: -now('left'),
    y: -now('top'),
    width: frame.width + now('left') + now('right'),
    height: frame.height + now('top') + now('bottom'),
  };
  const grip = Math.max(box.width, box.height) * HANDLE_SHARE;
  return (
    <svg
      className="expand"
      ref={drawing}
      viewBox={`${box.x - grip} ${box.y - grip} ${box.width + 2 * grip} ${box.height + 2 * grip}`}
      aria-hidden="true"
    >
      <rect className="ground" {...outer} />
      {asset === undefined ? (
        <rect className="picture" width={frame.width} height={frame.height} />
      ) : (
        <image href={asset.thumbnailUrl} width={frame.width} height={frame.height} preserveAspectRatio="none" />
      )}
      {SIDES.map((side) =>
        props.sides[side] === undefined ? null : (
          <Handle
            key={side}
            side={side}
            frame={frame}
            outer={outer}
            grip={grip}
            value={props.readSide(side)}
            unitsPerPixel={() => (box.width + 2 * grip) / (drawing.current?.getBoundingClientRect().width || 1)}
            onValue={(value) => props.onSide(side, value)}
          />
        ),
      )}
    </svg>
  );
}

function Handle(props: {
  side: Side;
  frame: Frame;
  outer: { x: number; y: number; width: number; height: number };
  grip: number;
  value: number;
  unitsPerPixel(): number;
  onValue(value: number): void;
}) {
  const { side, frame, outer, grip } = props;
  const start = useRef({ x: 0, y: 0, value: 0 });
  const isAcross = side === 'left' || side === 'right';
  const center = {
    x: side === 'left' ? outer.x : side === 'right' ? outer.x + outer.width : frame.width / 2,
    y: side === 'top' ? outer.y : side === 'bottom' ? outer.y + outer.height : frame.height / 2,
  };
  const size = isAcross ? { width: grip, height: 3 * grip } : { width: 3 * grip, height: grip };
  const begin = (event: PointerEvent<SVGRectElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, y: event.clientY, value: props.value };
  };
  const pull = (event: PointerEvent<SVGRectElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const scale = props.unitsPerPixel();
    const moved = { x: (event.clientX - start.current.x) * scale, y: (event.clientY - start.current.y) * scale };
    props.onValue(start.current.value + outwards(side, moved) / frame.perValue(side));
  };
  return (
    <rect
      className="handle"
      data-side={side}
      x={center.x - size.width / 2}
      y={center.y - size.height / 2}
      {...size}
      rx={grip / 2}
      onPointerDown={begin}
      onPointerMove={pull}
    />
  );
}
