package dev.repartee.balance;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.io.IOException;
import java.time.Duration;

/**
 * The checks of the endpoints: pings, and the numbers of failures that have consequences.
 *
 * @param method the method of the pings
 * @param interval the time between two pings, and the time for an answer; zero for no pings
 * @param ejectAfter the number of failures in a row after which an endpoint takes no calls
 */
record Health(String method, Duration interval, int ejectAfter) {
  /**
   * An ejected endpoint keeps its connection, since it may only be slow. After more failures it gets
   * a new one: the host may have lost the old connection.
   */
  private static final int REPLACED_AFTER = 2;

  boolean isChecked() {
    return !interval.isZero();
  }

  /** Returns whether an endpoint with so many failures takes no calls until it answers a ping. */
  boolean ejects(int failures) {
    return isChecked() && failures >= ejectAfter;
  }

  /** Returns whether the connection is closed now, and opened again. */
  boolean replaces(int failures) {
    return isChecked() && failures % (REPLACED_AFTER * ejectAfter) == 0;
  }

  /** Sends a ping; never waits. Any answer of the server is one, also an error. */
  CallFuture<Json> ping(Peer peer) {
    return peer.flow().ping(method, interval);
  }

  /**
   * Checks a new connection before its first call, and asks for the announcement of its end. The
   * server has received the request when it answers the ping after it.
   *
   * @throws IOException if the server closes already
   */
  void check(Peer peer) throws IOException {
    if (!isChecked()) {
      return;
    }
    peer.flow().announceClosing();
    try {
      ping(peer).await();
    } catch (RpcException e) {
      // An answer, too.
    }
    if (!peer.isOpen()) {
      throw new IOException(peer.channel().other() + " is closing");
    }
  }
}
