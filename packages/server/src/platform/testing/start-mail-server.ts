import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** aiosmtpd, which prints each mail as one line of JSON and ends with its parent. Debian's python3-aiosmtpd has it. */
const PROGRAM = `
import asyncio, json, os, sys, threading
from aiosmtpd.smtp import SMTP
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith('refused'):
            return '550 no such mailbox'
        envelope.rcpt_tos.append(address)
        return '250 OK'
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({'to': envelope.rcpt_tos, 'from': envelope.mail_from, 'data': envelope.content.decode()}), flush=True)
        return '250 OK'
async def main():
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(Handler(), hostname='localhost'), '127.0.0.1', int(sys.argv[1]))
    print(json.dumps({'port': server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()
asyncio.run(main())
`;

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly from: string;
  readonly data: string;
}

/** A real SMTP server, on a free port unless one is given. */
export async function startMailServer(port = 0) {
  const child = spawn('/usr/bin/python3', ['-c', PROGRAM, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const received: ReceivedMail[] = [];
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  lines.on('line', (line) => received.push(JSON.parse(line)));
  return {
    url: `smtp://127.0.0.1:${(JSON.parse(first) as { port: number }).port}`,
    received,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
