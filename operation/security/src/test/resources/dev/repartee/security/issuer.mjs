// An authorization server for tests: node issuer.mjs FOLDER, where npm has installed oidc-provider.
// Prints its address. Each line of the input is a command, which is printed when it is done.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

console.info = console.error; // the notices of the library do not belong to our output
const { Provider } = await import(pathToFileURL(`${process.argv[2]}/node_modules/oidc-provider/lib/index.js`));

let handler;
let isDown = false;
const server = createServer((request, response) => {
  if (isDown) {
    request.socket.destroy();
  } else {
    handler(request, response);
  }
});
server.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

function key(kid) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

// The tokens are in the memory of the module: a new provider knows those of the one before.
function provide(...keys) {
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'shop', client_secret: 'secret of the shop', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] },
      { client_id: 'api', client_secret: 'secret: of the api', grant_types: [], redirect_uris: [], response_types: [] },
    ],
    scopes: ['read', 'write'],
    jwks: { keys },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (context, resource) => ({
          scope: 'read write',
          audience: resource,
          accessTokenTTL: 600,
          accessTokenFormat: resource.endsWith('/opaque') ? 'opaque' : 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  handler = provider.callback();
}

provide(key('first'));
console.log(issuer);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'rotate') {
    provide(key('second'));
  } else {
    isDown = line === 'down';
  }
  console.log(line);
}
process.exit(0);
