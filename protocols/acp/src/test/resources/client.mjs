// A client of the official SDK, which starts an agent. The arguments are the folder with node_modules, a working
// directory, and the command of the agent. Prints a line for each fact.
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder, cwd, command, ...args] = process.argv.slice(2);
const sdk = `${folder}/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js`;
const acp = await import(pathToFileURL(sdk).href);
const process_ = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const print = (...facts) => console.log(facts.join(' '));
const terminals = new Map();
let onText = () => {};

const app = acp.client({ name: 'sdk-client' })
  .onRequest('session/request_permission', ({ params }) => {
    print('asked', params.toolCall.toolCallId, params.options.length);
    return { outcome: { outcome: 'selected', optionId: params.options[0].optionId } };
  })
  .onRequest('fs/read_text_file', ({ params }) => ({ content: readFileSync(params.path, 'utf8') }))
  .onRequest('fs/write_text_file', ({ params }) => {
    writeFileSync(params.path, params.content);
    return {};
  })
  .onRequest('terminal/create', ({ params }) => {
    terminals.set('t1', `output of ${params.command}\n`);
    return { terminalId: 't1' };
  })
  .onRequest('terminal/wait_for_exit', () => ({ exitCode: 0 }))
  .onRequest('terminal/output', () => ({ output: terminals.get('t1'), truncated: false }))
  .onRequest('terminal/kill', () => {})
  .onRequest('terminal/release', () => print('released'))
  .onNotification('session/update', ({ params }) => {
    const update = params.update;
    print('update', update.sessionUpdate, update.content?.text ?? update.status ?? update.name ?? update.title ?? '');
    onText(update.content?.text);
  });

const stream = acp.ndJsonStream(Writable.toWeb(process_.stdin), Readable.toWeb(process_.stdout));
await app.connectWith(stream, async (agent) => {
  const initialized = await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      session: { configOptions: { boolean: {} }, notices: {} },
    },
  });
  print('agent', initialized.protocolVersion, initialized.agentInfo.name);
  const opened = await agent.request('session/new', { cwd, mcpServers: [] });
  const sessionId = opened.sessionId;
  print('modes', opened.modes.currentModeId, opened.configOptions.length);
  await agent.request('session/set_mode', { sessionId, modeId: 'code' });
  await agent.request('session/set_mode', { sessionId, modeId: 'ask' });
  const changed = await agent.request('session/set_config_option',
    { sessionId, configId: 'fast', type: 'boolean', value: true });
  print('fast', changed.configOptions.find((each) => each.id === 'fast').currentValue);
  const prompt = async (text) => {
    const end = await agent.request('session/prompt',
      { sessionId, prompt: [{ type: 'text', text }] });
    print('end', end.stopReason);
  };
  await prompt('plan');
  await prompt(`edit ${cwd}/b.txt`);
  await prompt('run echo');
  await prompt('notice Careful');
  await prompt('named edit_file');
  const waiting = new Promise((resolve) => { onText = (text) => text === 'waiting' && resolve(); });
  const end = prompt('wait');
  await waiting;
  await agent.notify('session/cancel', { sessionId });
  await end;
  const listed = await agent.request('session/list', {});
  print('listed', listed.sessions[0].title);
  await agent.request('session/load', { sessionId: 'old', cwd, mcpServers: [] });
  await agent.request('session/close', { sessionId });
  try {
    await agent.request('session/prompt', { sessionId, prompt: [] });
  } catch (error) {
    print('error', error.code);
  }
});
process_.kill();
