import type { UrlPolicy } from '../domain/webhooks/endpoints/check-endpoint.ts';
import type { Config } from './config/config.ts';

/** Where webhooks may be sent: never to the service itself. */
export function readUrlPolicy(config: Config): UrlPolicy {
  return {
    allowHttp: config.webhookAllowHttp,
    allowCidrs: config.webhookAllowCidrs,
    ownHosts: [config.publicUrl, config.cdnUrl, config.consoleUrl, config.deskUrl].map((url) => new URL(url).host),
  };
}
