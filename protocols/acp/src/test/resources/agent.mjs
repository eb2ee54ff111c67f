// An agent of the official SDK. The argument is the folder with node_modules.
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const sdk = `${process.argv[2]}/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js`;
const acp = await import(pathToFileURL(sdk).href);
const cancelled = new Map();
let notices;

async function prompt({ params, client }) {
  const sessionId = params.sessionId;
  const text = params.prompt[0].text;
  const update = (each) => client.notify('session/update', { sessionId, update: each });
  const say = (said) =>
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } });
  if (text === 'wait') {
    await say('waiting');
    await new Promise((resolve) => cancelled.set(sessionId, resolve));
    return { stopReason: 'cancelled' };
  }
  const [path] = [text];
  await update({
    sessionUpdate: 'plan',
    entries: [{ content: 'all', priority: 'high', status: 'in_progress' }],
  });
  await update({
    sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Edit', name: 'edit_file', kind: 'edit', status: 'pending',
    content: [{ type: 'diff', path, oldText: 'a', newText: 'b' }], locations: [{ path, line: 1 }],
  });
  const read = await client.request('fs/read_text_file', { sessionId, path, line: 1, limit: 1 });
  const { outcome } = await client.request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId: 'c1' },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });
  if (outcome.outcome === 'selected' && outcome.optionId === 'yes') {
    await client.request('fs/write_text_file', { sessionId, path, content: read.content + 'new' });
  }
  const terminal = await client.createTerminal({ sessionId, command: 'echo', args: ['run'] });
  const exit = await terminal.waitForExit();
  const { output } = await terminal.currentOutput();
  await terminal.release();
  await update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
  if (notices) {
    await update({
      sessionUpdate: 'notice', severity: 'warning', title: 'Careful', description: 'It may fail',
    });
  }
  await say(`${read.content}${output}${exit.exitCode}`);
  return { stopReason: 'end_turn' };
}

acp.agent({ name: 'sdk-agent' })
  .onRequest('initialize', ({ params }) => {
    notices = params.clientCapabilities?.session?.notices;
    return {
      protocolVersion: 1,
      agentInfo: { name: 'sdk-agent', version: '1' },
      agentCapabilities: { loadSession: true },
      authMethods: [{ id: 'key', name: 'Key' }],
    };
  })
  .onRequest('authenticate', () => {})
  .onRequest('session/new', () => ({
    sessionId: 's1',
    modes: {
      currentModeId: 'ask',
      availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code' }],
    },
  }))
  .onRequest('session/load', async ({ params, client }) => {
    for (const kind of ['user_message_chunk', 'agent_message_chunk']) {
      await client.notify('session/update', {
        sessionId: params.sessionId,
        update: { sessionUpdate: kind, content: { type: 'text', text: 'old' } },
      });
    }
    return {};
  })
  .onRequest('session/set_mode', () => {})
  .onRequest('session/prompt', prompt)
  .onNotification('session/cancel', ({ params }) => cancelled.get(params.sessionId)?.())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
