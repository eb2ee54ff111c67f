# A server with one method, as its authors' page shows it.
import sys
from pylsp_jsonrpc import endpoint, streams

methods = {'subtract': lambda params: params[0] - params[1]}
reader = streams.JsonRpcStreamReader(sys.stdin.buffer)
writer = streams.JsonRpcStreamWriter(sys.stdout.buffer)
reader.listen(endpoint.Endpoint(methods, writer.write).consume)
