package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.Peer;
import org.jspecify.annotations.Nullable;

/** A connected client of a bridge, with access to its backend. Thread-safe. */
abstract class Client {
  final Peer peer;

  /** Resumes reading from the client; always the same object, see PeerFlow.hasRoom. */
  final Runnable readOn;

  Client(Peer peer) {
    this.peer = peer;
    this.readOn = peer.flow()::readOn;
  }

  /** Returns whether the backend has room for the next message of the client. Must not block. */
  abstract boolean mayRead();

  /**
   * Forwards a message to the backend.
   *
   * @return the future of the answer; null for a notification
   */
  abstract @Nullable Object pass(Call call);

  /** Releases the backend, because the client has disconnected. Must not block. */
  abstract void left();
}
