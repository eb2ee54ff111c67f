package dev.repartee.cli.openrpc;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.ReparteeException;
import dev.repartee.RpcException;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.RemoteTool;
import dev.repartee.mcp.types.Implementation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Describes a server without {@code rpc.discover} by the handshake of its protocol. */
final class Handshake {
  /** The maximum number of pages of a list of tools. */
  private static final int PAGES = 100;

  /** The first request of MCP and of LSP at the same time; each ignores the members of the other. */
  private static final Json INITIALIZE = Json.parse("""
          {"protocolVersion":"2025-11-25","capabilities":{},
           "clientInfo":{"name":"repartee","version":"VERSION"},
           "processId":null,"rootUri":null}""".replace("VERSION", Repartee.version()));

  private final Connection connection;
  private final Stdio stdio;

  Handshake(Connection connection, Stdio stdio) {
    this.connection = connection;
    this.stdio = stdio;
  }

  /** Returns the document; null if the server has no handshake that is known. */
  @Nullable Json document(Peer peer, String uri) {
    if (!uri.startsWith("http")) {
      return initialized(peer);
    }
    Json tools = tools(uri);
    return tools == null ? skills(uri) : tools;
  }

  private @Nullable Json initialized(Peer peer) {
    try {
      Json answer = call(peer, "initialize", INITIALIZE);
      return answer.get("protocolVersion") == null
          ? language(peer, answer)
          : ToolServer.document(answer.get("serverInfo"), tools(peer));
    } catch (RpcException | ProtocolException | JsonException e) {
      return null;
    }
  }

  private @Nullable Json language(Peer peer, Json answer) {
    if (answer.get("capabilities") == null) {
      return null;
    }
    call(peer, "shutdown", null);
    peer.request("exit").sendNotification();
    return LanguageServer.document(answer);
  }

  private List<Json> tools(Peer peer) {
    peer.request("notifications/initialized").sendNotification();
    List<Json> tools = new ArrayList<>();
    String cursor = null;
    int bytes = 0;
    for (int page = 0; page < PAGES; page++) {
      Json list =
          call(peer, "tools/list", new JsonObjectBuilder().put("cursor", cursor).build());
      bytes += list.length();
      if (bytes >= DocumentOptions.MOST) {
        throw Failure.usage("the list of the server's tools " + DocumentOptions.TOO_LARGE);
      }
      Json some = list.get("tools");
      tools.addAll(some == null ? List.of() : some.elements());
      cursor = list.string("nextCursor");
      if (cursor == null) {
        break;
      }
    }
    return tools;
  }

  private Json call(Peer peer, String method, @Nullable Json params) {
    var call = peer.request(method).timeout(connection.left());
    return (params == null ? call : call.params(params)).call(Json.class);
  }

  /** Returns the tools of an MCP server over HTTP; null if the server is none. */
  private @Nullable Json tools(String uri) {
    try (McpClient client = McpClient.builder("repartee", Repartee.version())
        .options(connection.options(Options.DEFAULT, uri, stdio))
        .timeout(connection.left())
        .connect(uri)) {
      List<Json> tools;
      try (var all = client.tools()) {
        tools = all.map(RemoteTool::json).toList();
      }
      Implementation info = client.server();
      return ToolServer.document(info == null ? null : Json.of(info), tools);
    } catch (IOException | ReparteeException e) {
      return null;
    }
  }

  /** Returns the skills on the card of an A2A agent; null if there is no card. */
  private @Nullable Json skills(String uri) {
    try (A2aClient client =
        A2aClient.builder().timeout(connection.left()).connect(uri.replaceFirst("#.*", ""))) {
      AgentCard card = client.card();
      return card == null ? null : Agent.document(card);
    } catch (ReparteeException | IllegalArgumentException e) {
      return null;
    }
  }
}
