package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.Peer;
import org.jspecify.annotations.Nullable;

/** A connected client of a bridge, and the way to its backend. Thread-safe. */
abstract class Client {
  final Peer peer;

  /** Lets the bridge read from the client again; always the same object, see Peer.hasRoom. */
  final Runnable readOn;

  Client(Peer peer) {
    this.peer = peer;
    this.readOn = peer::readOn;
  }

  /** Returns whether the backend takes the next message of the client. Must not block. */
  abstract boolean mayRead();

  /**
   * Passes a message on to the backend.
   *
   * @return the future of the answer; null for a notification
   */
  abstract @Nullable Object pass(Call call);

  /** Releases the backend, because the client has disconnected. Must not block. */
  abstract void left();
}
