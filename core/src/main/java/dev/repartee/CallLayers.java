package dev.repartee;

import dev.repartee.json.JsonType;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The layers around the outgoing calls of a {@link Caller}; see {@link Options#callLayers}. */
final class CallLayers {
  private final Caller caller;
  private final @Nullable Handler layered;

  CallLayers(Caller caller, List<Layer> layers) {
    this.caller = caller;
    this.layered = layers.isEmpty() ? null : ServerContext.stack(layers, LayeredCall::leave);
  }

  /** Passes a call through the layers and sends it. */
  <T extends @Nullable Object> CallFuture<T> send(CallBuilder call, JsonType<T> type, Peer peer) {
    return layered == null
        ? caller.request(call, type)
        : new LayeredCall<T>(call, peer, given -> caller.request(given, type)).through(layered);
  }

  /** Passes a notification through the layers and sends it. */
  void sendNotification(CallBuilder call, Peer peer) {
    sendNotification(call, peer, caller::notification);
  }

  /** Passes a call through the layers and adds it to a batch. */
  <T extends @Nullable Object> CallFuture<T> add(
      Batch batch, CallBuilder call, JsonType<T> type, Peer peer) {
    return layered == null
        ? batch.add(call, type)
        : new LayeredCall<T>(call, peer, given -> batch.add(given, type), batch).through(layered);
  }

  /** Passes a notification through the layers and adds it to a batch. */
  void add(Batch batch, CallBuilder call, Peer peer) {
    sendNotification(call, peer, batch::add);
  }

  private void sendNotification(CallBuilder call, Peer peer, Consumer<CallBuilder> exit) {
    if (layered == null) {
      exit.accept(call);
    } else {
      LayeredCall.notify(call, peer, exit, layered);
    }
  }
}
