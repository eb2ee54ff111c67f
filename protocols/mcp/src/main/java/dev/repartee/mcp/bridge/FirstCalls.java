package dev.repartee.mcp.bridge;

import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The first calls on each connection, from the member {@code x-connect} of a document. */
record FirstCalls(List<FirstCall> calls) {
  private static final String MEMBER = "x-connect";
  private static final int MAX = 10;

  /** A call, with its params or null. */
  record FirstCall(String method, @Nullable Json params) {}

  /**
   * Reads the calls of a document.
   *
   * @throws ProtocolException if the member is present and invalid
   */
  static FirstCalls of(@Nullable Json document) {
    Json listed = document == null ? null : document.get(MEMBER);
    List<FirstCall> calls = new ArrayList<>();
    if (listed != null) {
      for (Json call : listed.elements()) {
        String method = call.string("method");
        Json params = call.get("params");
        if (method == null || params != null && !isStructured(params)) {
          throw invalid();
        }
        calls.add(new FirstCall(method, params));
      }
      if (listed.kind() != Json.Kind.ARRAY || calls.size() > MAX) {
        throw invalid();
      }
    }
    return new FirstCalls(calls);
  }

  private static boolean isStructured(Json params) {
    return params.kind() == Json.Kind.OBJECT || params.kind() == Json.Kind.ARRAY;
  }

  private static ProtocolException invalid() {
    return new ProtocolException("the member '" + MEMBER + "' of the description has to be an array"
        + " of at most " + MAX + " calls, each with a 'method' and perhaps 'params'");
  }

  /**
   * Makes the calls, one after another, and returns the peer. Closes the peer if a call fails.
   *
   * @throws IOException if a call fails
   */
  Peer makeOn(Peer peer) throws IOException {
    for (FirstCall call : calls) {
      CallBuilder request = peer.request(call.method);
      if (call.params != null) {
        request.params(call.params);
      }
      try {
        request.call(Json.class);
      } catch (RpcException
          | CallTimeoutException
          | DisconnectedException
          | ProtocolException
          | JsonException e) {
        peer.close();
        throw new IOException("a first call failed: " + e.getMessage(), e);
      }
    }
    return peer;
  }
}
