package dev.repartee.mcp;

import dev.repartee.Call;
import dev.repartee.CallBuilder;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.mcp.state.ClientChannel;
import dev.repartee.mcp.state.SessionMemory;
import dev.repartee.mcp.wire.McpDialect;
import dev.repartee.transport.Channel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A bidirectional connection with one client, such as standard input and output or a socket. It has
 * one {@link ServerSession}, which ends with it.
 */
final class Connection implements ClientChannel {
  private final Duration inputTimeout;
  private final CompletableFuture<Peer> peer = new CompletableFuture<>();

  private Connection(Duration inputTimeout) {
    this.inputTimeout = inputTimeout;
  }

  /**
   * Opens the peer that serves the channel.
   *
   * @param owner the owner of the session, see {@link SessionMemory#owner}
   */
  static Peer open(Protocol protocol, Channel channel, String owner) {
    McpServer server = protocol.server();
    Connection connection = new Connection(server.settings().inputTimeout());
    ServerSession session = new ServerSession(connection, SessionMemory.CONNECTIONS.share(owner));
    Service service = protocol.service(call -> session);
    Options options = server.settings().options().toBuilder()
        .dialect(new McpDialect(session::takesBatches))
        .builtins(Options.Builtin.CANCEL)
        .build();
    Peer peer = Peer.open(channel, service, options);
    connection.peer.complete(peer);
    peer.closed().whenComplete((nothing, cause) -> server.subscribers().remove(session));
    return peer;
  }

  private Peer peer() {
    return peer.join();
  }

  @Override
  public boolean notify(String method, Json params) {
    try {
      return peer().request(method).params(params).tryNotify();
    } catch (RuntimeException e) {
      return true; // the client has disconnected; a retry would be useless
    }
  }

  @Override
  public CompletionStage<Json> ask(Call call, String method, Json params) {
    CallBuilder request = peer().request(method).params(params).timeout(inputTimeout);
    var answer = request.send(Json.class);
    call.cancellation().onCancel(() -> answer.cancel(true));
    return answer;
  }
}
