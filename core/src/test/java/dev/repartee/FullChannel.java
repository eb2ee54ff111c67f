package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A channel with a write queue that a test fills and closes. */
class FullChannel extends KeepingChannel {
  /** A permit for each time that an open queue was asked for room. */
  final Semaphore asked = new Semaphore(0);

  volatile boolean full;
  volatile boolean closed;

  @Override
  public synchronized void commit(OutboundFrame frame) {
    if (closed) {
      throw DisconnectedException.closed("test", null);
    }
    super.commit(frame);
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) {
    if (closed) {
      throw DisconnectedException.closed("test", null);
    }
    asked.release();
    return !full;
  }

  /** Delivers a message to the peer. */
  void receive(String message) {
    byte[] text = message.getBytes(UTF_8);
    receiver().frame(text, 0, text.length);
  }

  /** Delivers items of the call with the id 1, given as JSON. */
  void receiveItems(String items) {
    receive("""
        {"jsonrpc":"2.0","method":"rpc.items","params":{"id":1,"items":[%s]}}""".formatted(items));
  }
}
