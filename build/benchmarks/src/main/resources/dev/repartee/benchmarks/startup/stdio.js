// A server with one method, as its authors' page shows it.
const rpc = require('vscode-jsonrpc/node');
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(process.stdin), new rpc.StreamMessageWriter(process.stdout));
connection.onRequest('subtract', (minuend, subtrahend) => minuend - subtrahend);
connection.onClose(() => process.exit(0));
connection.listen();
