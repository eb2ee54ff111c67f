package dev.repartee.mcp;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.mcp.auth.Protection;
import dev.repartee.mcp.http.Backend;
import dev.repartee.mcp.http.HttpTransport;
import dev.repartee.mcp.http.MirroredHeaders;
import dev.repartee.mcp.state.CallAttributes;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.state.SessionState;
import dev.repartee.mcp.types.Revision;
import dev.repartee.message.Request;
import dev.repartee.transport.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connects the HTTP handler with the protocol and the state of the server.
 *
 * @param protocol the protocol of the server
 */
record HttpBackend(Protocol protocol) implements Backend {
  private McpServer server() {
    return protocol.server();
  }

  @Override
  public Options options() {
    return server().settings().options();
  }

  @Override
  public Duration inputTimeout() {
    return server().settings().inputTimeout();
  }

  @Override
  public @Nullable Protection protection() {
    return server().settings().protection();
  }

  @Override
  public Service service() {
    return protocol.service(call ->
        (ServerSession) Objects.requireNonNull(call.attributes().get(CallAttributes.SESSION)));
  }

  @Override
  public Peer open(Channel channel, String owner) {
    return Connection.open(protocol, channel, owner);
  }

  @Override
  public ServerSession newSession(ClientChannel channel, SessionMemory.Share share) {
    return new ServerSession(channel, share);
  }

  @Override
  public void end(SessionState session) {
    server().subscribers().remove((ServerSession) session);
  }

  @Override
  public void endListening(Object owner) {
    server().subscribers().leave(owner);
  }

  @Override
  public @Nullable HttpTransport transport(String version) {
    Revision revision = Revision.of(version);
    if (revision == null || revision.isStateless() && !offersStateless()) {
      return null;
    } else if (revision.isStateless()) {
      return HttpTransport.STATELESS;
    }
    return revision == Revision.V2024_11_05 ? HttpTransport.SSE : HttpTransport.SESSIONS;
  }

  @Override
  public boolean offersStateless() {
    return !server().needsSessions();
  }

  @Override
  public void requireStateless(String version) {
    Protocol.supported(version);
  }

  @Override
  public Set<String> scopes(Request request, Principal principal) {
    Tool tool = tool(request, principal);
    return tool == null ? Set.of() : tool.scopes();
  }

  /**
   * Returns the tool that the request calls, or the tool of the task that the request names, or
   * null.
   */
  private @Nullable Tool tool(Request request, Principal principal) {
    boolean calls = request.method().equals(Protocol.TOOLS_CALL);
    if (request.params() == null || !calls && !request.method().startsWith("tasks/")) {
      return null;
    }
    String name = request.params().string(calls ? "name" : "taskId");
    if (name == null) {
      return null;
    }
    if (calls) {
      return server().tools().find(name);
    }
    Task task = server().tasks().find(name, principal);
    return task == null ? null : task.tool();
  }

  @Override
  public @Nullable List<MirroredHeaders.Mirrored> mirrored(String name) {
    Tool tool = server().tools().find(name);
    return tool == null ? null : tool.mirrored();
  }
}
