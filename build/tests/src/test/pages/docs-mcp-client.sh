# A server of MCP in JavaScript, and the configuration of another client.
cat >weather.js <<'END'
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'weather', version: '1' },
    }),
    'tools/list': () => ({ tools: [{ name: 'forecast', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: `Rain in ${params.arguments.city}` }] }),
  };
  if (id !== undefined) {
    const answer = results[method]
      ? { result: results[method]() }
      : { error: { code: -32601, message: 'Method not found' } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }
});
END
mkdir -p ~/.cursor
echo '{"mcpServers": {"weather": {"command": "node", "args": ["weather.js"]}}}' >~/.cursor/mcp.json
