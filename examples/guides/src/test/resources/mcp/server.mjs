// An MCP server of the TypeScript SDK, for all revisions that it has. Prints its address.
import { createServer } from 'node:http';
import { McpServer, ResourceTemplate, completable, createMcpHandler } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import * as z from 'zod/v4';

const PIXEL = 'iVBORw0KGgo=';
const LANGUAGES = ['java', 'javascript', 'rust'];

function build() {
  const server = new McpServer({ name: 'typescript', version: '1.0' }, { capabilities: { logging: {} } });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool(
    'count',
    { description: 'Counts with progress', inputSchema: z.object({ to: z.number() }) },
    async ({ to }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to; progress++) {
        if (progressToken !== undefined) {
          await context.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: to, message: `step ${progress}` },
          });
        }
      }
      await context.mcpReq.log('info', 'counted');
      return { content: [{ type: 'text', text: `counted to ${to}` }] };
    },
  );
  server.registerTool('fail', { description: 'Fails', inputSchema: z.object({}) }, async () => ({
    content: [{ type: 'text', text: 'sold out' }],
    isError: true,
  }));
  server.registerTool('picture', { description: 'A picture', inputSchema: z.object({}) }, async () => ({
    content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }],
  }));
  server.registerResource('greeting', 'demo://greeting', { mimeType: 'text/plain' }, async uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Hello' }],
  }));
  server.registerResource('pixel', 'demo://pixel', { mimeType: 'image/png' }, async uri => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource(
    'item',
    new ResourceTemplate('demo://item/{id}', { list: undefined }),
    { mimeType: 'text/plain' },
    async (uri, { id }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `item ${id}` }] }),
  );
  server.registerPrompt(
    'review',
    {
      description: 'Reviews code',
      argsSchema: z.object({
        code: z.string(),
        language: completable(z.string(), value =>
          LANGUAGES.filter(language => language.startsWith(value ?? '')),
        ).optional(),
      }),
    },
    ({ code }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Review ${code}` } }] }),
  );
  return server;
}

const handler = toNodeHandler(createMcpHandler(build));
const server = createServer((request, response) => void handler(request, response));
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.on('end', () => process.exit(0)).resume();
