package dev.repartee.netty;

import dev.repartee.Server;
import dev.repartee.testkit.RawConnection;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/**
 * Opens connections and sends their first bytes before the server accepts them. The time limits of
 * the server then do not include a pause of the test between connecting and sending.
 */
final class EarlyBytes {
  private EarlyBytes() {}

  /** Connects to a server and sends a text while all event loops are held. */
  static RawConnection send(Server server, String text) throws IOException {
    CountDownLatch released = hold();
    try {
      return new RawConnection(server).send(text);
    } finally {
      released.countDown();
    }
  }

  /** Opens a WebSocket in the same way. */
  static RawConnection upgrade(Server server) throws IOException {
    RawConnection raw = send(server, RawConnection.handshake());
    String answer = raw.answer();
    if (!answer.startsWith("HTTP/1.1 101 ")) {
      throw new AssertionError("the server opens no WebSocket, but answers: " + answer);
    }
    return raw;
  }

  /** Holds all event loops until the latch is released. */
  static CountDownLatch hold() {
    CountDownLatch released = new CountDownLatch(1);
    for (EventExecutor loop : EventLoops.shared().group()) {
      CountDownLatch held = new CountDownLatch(1);
      loop.execute(() -> {
        held.countDown();
        await(released);
      });
      await(held);
    }
    return released;
  }

  private static void await(CountDownLatch latch) {
    try {
      ScriptedServer.await(latch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
