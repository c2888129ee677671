// Forwards TCP connections. Usage: forward-port.mjs LISTEN_ADDRESS LISTEN_PORT TARGET_ADDRESS TARGET_PORT
import { connect, createServer } from 'node:net';

const [listenAddress, listenPort, host, port] = process.argv.slice(2);
createServer((client) => {
  const target = connect({ host, port: Number(port) });
  // A refused connection reaches the sender as a closed one.
  const end = () => {
    client.destroy();
    target.destroy();
  };
  client.on('error', end).on('close', end);
  target.on('error', end).on('close', end);
  client.pipe(target).pipe(client);
}).listen(Number(listenPort), listenAddress);
