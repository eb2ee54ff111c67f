// The client of Visual Studio Code: starts the language server that the arguments name, and uses it.
const assert = require('assert');
const { spawn } = require('child_process');
const lsp = require('vscode-languageserver-protocol/node');

async function main([command, ...args]) {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const status = new Promise(resolve => server.on('exit', resolve));
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  const diagnostics = new Promise(resolve =>
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, resolve));
  connection.listen();

  const initialized = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    workspaceFolders: null,
  });
  assert.strictEqual(initialized.capabilities.hoverProvider, true);
  await connection.sendNotification(lsp.InitializedNotification.type, {});

  const textDocument = { uri: 'file:///a.txt', languageId: 'text', version: 1, text: 'done\nTODO: this\n' };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
  const found = await diagnostics;
  assert.strictEqual(found.uri, textDocument.uri);
  assert.deepStrictEqual(found.diagnostics.map(each => each.range.start.line), [1]);

  const hover = await connection.sendRequest(lsp.HoverRequest.type, {
    textDocument: { uri: textDocument.uri },
    position: { line: 7, character: 0 },
  });
  assert.strictEqual(hover.contents, 'line 7');

  const cancellation = new lsp.CancellationTokenSource();
  const long = connection.sendRequest(
    lsp.ExecuteCommandRequest.type, { command: 'search' }, cancellation.token);
  cancellation.cancel(); // sends $/cancelRequest
  await assert.rejects(long, { code: lsp.LSPErrorCodes.RequestCancelled });
  await assert.rejects(
    connection.sendRequest('textDocument/rename', {}), { code: lsp.ErrorCodes.MethodNotFound });

  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.strictEqual(await status, 0);
  console.log('the editor is content');
}

main(process.argv.slice(2)).then(() => process.exit(0), failure => {
  console.log(failure);
  process.exit(1);
});
