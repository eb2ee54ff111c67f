package dev.repartee.zeromq;

import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Writes replies to a ROUTER socket. A reply that ZeroMQ should not accept yet waits in the queue of
 * its client. Used by the thread of the sockets, except where noted.
 *
 * <p>ZeroMQ limits its queues by messages, not by bytes, and accepts replies for a client that does
 * not read. Therefore this class counts the bytes of the replies that ZeroMQ has accepted but not
 * begun to write, for each client and for all clients, and passes on only as many as fit.
 */
final class ReplyWriter {
  /** A client without unread replies always gets a reply of up to this many bytes. */
  static final int SMALL_BYTES = 64 << 10;

  /** The outcome of {@link #write}. */
  enum Outcome {
    /** ZeroMQ has accepted the reply, or its client has disconnected. */
    SENT,
    /** The reply waits in the queue of its client. */
    QUEUED,
    /** There is no memory for the reply. */
    DROPPED
  }

  private final ZMQ.Socket router;
  private final SocketThread thread;
  private final Limits limits;
  private final Consumer<String> report;

  /** The bytes of replies in the queues of ZeroMQ, of all clients. Used by its thread, too. */
  private final AtomicLong unread = new AtomicLong();

  private final long mostUnread = MemoryBudget.ofAnswers().max() / 4;

  /** The bytes of replies in the queues of all clients. */
  private long queuedBytes;

  private final MemoryBudget.Share queuedShare = MemoryBudget.ofAnswers().share(SMALL_BYTES);

  ReplyWriter(ZMQ.Socket router, SocketThread thread, Limits limits, Consumer<String> report) {
    this.router = router;
    this.thread = thread;
    this.limits = limits;
    this.report = report;
  }

  /** Returns the number of bytes that are counted for a message in a queue. */
  static long size(List<byte[]> frames) {
    long size = 0;
    for (byte[] frame : frames) {
      size += frame.length + 64;
    }
    return size;
  }

  /** Writes a reply, or queues it after the queued ones. */
  Outcome write(Client client, List<byte[]> frames) {
    long size = size(frames);
    if (client.queue.isEmpty() && send(client, frames, size)) {
      return Outcome.SENT;
    }
    if (!queuedShare.hold(queuedBytes + size)) {
      report.accept("a reply was dropped, because clients that do not read their replies hold as"
          + " much as heldBytes allows");
      return Outcome.DROPPED;
    }
    client.queue.add(frames);
    client.bytes += size;
    queuedBytes += size;
    client.isBlocked = true;
    return Outcome.QUEUED;
  }

  /** Writes the queued replies of a client; returns whether none is left. */
  boolean flush(Client client) {
    boolean sent = true;
    while (sent && !client.queue.isEmpty()) {
      List<byte[]> next = client.queue.element();
      long size = size(next);
      sent = send(client, next, size);
      if (sent) {
        client.queue.remove();
        client.bytes -= size;
        queuedBytes -= size;
      }
    }
    client.isBlocked = !sent;
    queuedShare.hold(queuedBytes);
    return sent;
  }

  /** Forgets the replies to a client that has disconnected. */
  void forget(Client client) {
    unread.addAndGet(-client.unread.getAndSet(0));
    queuedBytes -= client.bytes;
    queuedShare.hold(queuedBytes);
  }

  /** Passes a message to ZeroMQ; returns false if its client must read others first. */
  private boolean send(Client client, List<byte[]> frames, long size) {
    if (!hasRoom(client.unread.get(), size)) {
      return false;
    }
    int last = frames.size() - 1;
    try {
      for (int i = 0; i < last; i++) {
        if (!router.send(frames.get(i), ZMQ.SNDMORE | ZMQ.DONTWAIT)) {
          return false; // only the first frame, the identity, can be refused
        }
      }
      client.unread.addAndGet(size);
      unread.addAndGet(size);
      router.base().send(new ReplyFrame(frames.get(last), () -> begun(client, size)), ZMQ.DONTWAIT);
    } catch (ZMQException e) {
      if (frames.get(last).length > 0) {
        report.accept("a reply was dropped, because its client has disconnected");
      }
    }
    return true;
  }

  /**
   * When more than half of the bytes for all clients are used, a client gets only what still fits.
   */
  private boolean hasRoom(long ofClient, long size) {
    if (ofClient == 0 && size <= SMALL_BYTES) {
      return true;
    }
    long all = unread.get();
    return (ofClient == 0 || ofClient + size <= limits.outboundBytes())
        && (all <= mostUnread / 2 || all + size <= mostUnread);
  }

  /** Subtracts a reply that ZeroMQ begins to write. Called by its thread. */
  private void begun(Client client, long size) {
    unread.addAndGet(-size);
    if (client.unread.addAndGet(-size) <= limits.outboundBytes() / 2 && client.isBlocked) {
      thread.execute(() -> {}); // the next replies are written after the tasks
    }
  }
}
