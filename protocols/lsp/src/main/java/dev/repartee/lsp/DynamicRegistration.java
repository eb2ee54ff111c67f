package dev.repartee.lsp;

import dev.repartee.Peer;
import dev.repartee.json.Json;
import dev.repartee.lsp.types.Unregistration;
import dev.repartee.lsp.types.UnregistrationParams;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A capability that a server has registered at its client. Thread-safe. */
public final class DynamicRegistration implements AutoCloseable {
  private final Peer peer;
  private final String id;
  private final String method;
  private final AtomicBoolean closed = new AtomicBoolean();

  DynamicRegistration(Peer peer, String id, String method) {
    this.peer = peer;
    this.id = id;
    this.method = method;
  }

  /** Returns the id under which the client knows the registration. */
  public String id() {
    return id;
  }

  /** Returns the method that is registered. */
  public String method() {
    return method;
  }

  /**
   * Ends the registration, and waits for the client ({@code client/unregisterCapability}). A second
   * call does nothing.
   *
   * @throws dev.repartee.RpcException if the client refuses
   * @throws dev.repartee.CallTimeoutException if the client does not answer
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      peer.request("client/unregisterCapability")
          .params(new UnregistrationParams(List.of(new Unregistration(id, method))))
          .call(Json.class);
    }
  }
}
