// Drives the adapter that listens at a port with the test client of VS Code: port, script.
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const assert = require('assert');
const [port, program] = [Number(process.argv[2]), process.argv[3]];

async function session(work) {
  const client = new DebugClient('', '', 'script');
  await client.start(port);
  try {
    await work(client);
  } finally {
    await client.stop();
  }
}

async function main() {
  await session(async client => {
    const answer = await client.initializeRequest();
    assert.strictEqual(answer.body.supportsConfigurationDoneRequest, true);
    await assert.rejects(client.send('no such command'));
  });
  await session(client => Promise.all([
    client.configurationSequence(),
    client.launch({ program }),
    client.waitForEvent('terminated'),
    client.assertOutput('stdout', 'area 6\narea 20\ntotal 26\n'),
  ]));
  await session(client => Promise.all([
    client.configurationSequence(),
    client.launch({ program, stopOnEntry: true }),
    client.assertStoppedLocation('entry', { line: 2 }),
  ]));
  await session(async client => {
    await client.hitBreakpoint({ program }, { path: program, line: 6 });
    await Promise.all([
      client.nextRequest({ threadId: 1 }),
      client.assertStoppedLocation('step', { line: 7 }),
    ]);
    const stack = await client.stackTraceRequest({ threadId: 1 });
    const scopes = await client.scopesRequest({ frameId: stack.body.stackFrames[0].id });
    const variables = await client.variablesRequest(scopes.body.scopes[0]);
    assert.deepStrictEqual(variables.body.variables.map(each => each.name + '=' + each.value),
      ['width=2', 'height=3', 'result=6']);
    await Promise.all([client.continueRequest({ threadId: 1 }), client.waitForEvent('stopped')]);
    await Promise.all([client.stepOutRequest({ threadId: 1 }), client.assertStoppedLocation('step', { line: 12 })]);
    await Promise.all([client.terminateRequest({}), client.waitForEvent('terminated')]);
  });
  console.log('all sessions passed');
}

main().then(() => process.exit(0), failure => {
  console.error(failure);
  process.exit(1);
});
