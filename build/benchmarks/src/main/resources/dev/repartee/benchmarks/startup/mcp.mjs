// A server with one tool, as its authors' page shows it.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'calculator', version: '1' });
server.registerTool('subtract', { inputSchema: z.object({}) }, async () => ({
  content: [{ type: 'text', text: '19' }],
}));
await server.connect(new StdioServerTransport());
