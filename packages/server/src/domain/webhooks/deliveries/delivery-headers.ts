/** The headers of a delivery's request. Without a signature: as they would be sent now, before they are signed. */
export function deliveryHeaders(options: {
  prefix: string;
  eventId: string;
  eventType: string;
  signature?: string;
}): Record<string, string> {
  const { prefix, eventId, eventType, signature } = options;
  return {
    'content-type': 'application/json',
    'user-agent': 'Atelier-Webhooks/1',
    ...(signature === undefined ? {} : { [`${prefix}-Signature`]: signature }),
    [`${prefix}-Event-Id`]: eventId,
    [`${prefix}-Event-Type`]: eventType,
  };
}
