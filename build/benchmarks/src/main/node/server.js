// The vscode-jsonrpc server of the benchmarks: node server.js TCP_NODELAY. Prints its port, and ends with
// its standard input.
'use strict';

const net = require('node:net');
const rpc = require('vscode-jsonrpc/node');

// The number of notifications before a request, as in Workload.
const NOTIFICATIONS = 100;
const noDelay = process.argv[2] === 'true';

function serve(socket) {
  socket.setNoDelay(noDelay);
  socket.on('error', () => {}); // the client has disconnected
  const connection = rpc.createMessageConnection(socket, socket);
  connection.onRequest('subtract', (minuend, subtrahend) => minuend - subtrahend);
  connection.onRequest('echo', (document) => document);
  let notes = 0;
  connection.onNotification('note', (minuend, subtrahend) => {
    notes++;
  });
  connection.onRequest('noted', () => {
    notes -= NOTIFICATIONS;
    if (notes < 0) {
      throw new Error(`${-notes} notifications were not taken before the request`);
    }
    return NOTIFICATIONS;
  });
  connection.onRequest('push', async (count) => {
    const sent = [];
    for (let i = 0; i < count; i++) {
      sent.push(connection.sendNotification('note', 42, 23));
    }
    await Promise.all(sent);
    return count;
  });
  connection.onRequest('sleep', async (millis) => {
    await new Promise((resolve) => setTimeout(resolve, millis));
    return millis;
  });
  connection.listen();
}

const server = net.createServer(serve);
server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => {
  console.log(server.address().port);
});
process.stdin.on('end', () => process.exit(0)).resume();
