package dev.repartee.mcp.client.http;

import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.http.HttpSender;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The base of the HTTP transports of a client: each message is a {@link Post}, and streams of events
 * are open beside them.
 *
 * <p>Thread-safe. The lock {@code delivery} ensures that one thread at a time calls the receiver.
 * It is acquired while the monitor of an {@link HttpAnswer} is held, and code of users may run
 * while it is held. Therefore methods that such code can call neither acquire the monitor of an
 * answer, nor wait for this lock on another thread.
 */
abstract class HttpChannel implements MessageChannel {
  private record End(@Nullable Throwable cause) {}

  final HttpRequests requests;
  final Limits limits;
  private final ChannelInfo info;
  private final PostQueue queue;
  private final ReentrantLock delivery = new ReentrantLock();
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();
  private volatile @Nullable Receiver receiver;
  private volatile boolean closed;
  private boolean told; // guarded by delivery

  HttpChannel(
      URI uri,
      Headers headers,
      @Nullable HttpAuthorization authorization,
      Limits limits,
      HttpSender sender) {
    this.requests = new HttpRequests(uri, headers, authorization, limits, sender);
    this.limits = limits;
    this.info = new ChannelInfo(uri.getScheme(), uri.getAuthority(), "message");
    this.queue = new PostQueue(limits.outboundBytes(), uri.getAuthority(), this::roomAgain);
  }

  /** Creates the POST of a message. */
  abstract Post post(OutgoingMessage message);

  /** Continues reading the streams that are not the answer to a POST. */
  abstract void resumeStreams();

  /** Ends these streams. */
  abstract void cancelStreams();

  // ---------------------------------------------------------------- sending

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void send(OutgoingMessage message) {
    if (closed) {
      throw DisconnectedException.closed(info.remote(), null);
    }
    Post post = post(message);
    message.onEnd(post::callsEnded);
    queue.send(post);
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return queue.awaitRoom(time, unit);
  }

  @Override
  public boolean takesAnswers() {
    return queue.takesAnswers();
  }

  private void roomAgain() {
    Receiver to = receiver;
    if (to != null) {
      to.roomAgain();
    }
    resume();
  }

  /**
   * Waits until the server has accepted the notifications sent so far. Later messages could
   * overtake them, because each message is a separate POST.
   */
  public void awaitNotifications(long time, TimeUnit unit) throws InterruptedException {
    queue.awaitOthers(time, unit);
  }

  /** Returns whether all sent POSTs have ended. */
  boolean isQuiet() {
    return queue.running().isEmpty();
  }

  // ---------------------------------------------------------------- receiving

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
    resume();
    if (end.get() != null) {
      HttpThreads.READERS.execute(this::tellEnd);
    }
  }

  @Override
  public void resume() {
    HttpThreads.READERS.execute(() -> {
      queue.running().forEach(Post::resume);
      resumeStreams();
    });
  }

  /**
   * Delivers a message to the receiver.
   *
   * @return false if the receiver does not accept it now
   */
  boolean deliver(byte[] message) {
    delivery.lock();
    try {
      Receiver to = receiver;
      if (told) {
        return true;
      }
      if (to == null || !to.ready()) {
        return to == null && closed;
      }
      to.frame(message, 0, message.length);
      return true;
    } finally {
      delivery.unlock();
    }
  }

  void violation(String what) {
    delivery.lock();
    try {
      Receiver to = receiver;
      if (to != null && !told) {
        to.violation(what);
      }
    } finally {
      delivery.unlock();
    }
  }

  // ---------------------------------------------------------------- the end

  @Override
  public ChannelInfo info() {
    return info;
  }

  boolean isClosed() {
    return closed;
  }

  /** Refuses further messages, before the channel ends. */
  void refuse() {
    closed = true;
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    closed = true;
    if (end.compareAndSet(null, new End(cause))) {
      cancelStreams();
      queue.close(cause);
      requests.close();
      HttpThreads.READERS.execute(this::tellEnd);
    }
  }

  private void tellEnd() {
    delivery.lock();
    try {
      Receiver to = receiver;
      End ended = end.get();
      if (!told && to != null && ended != null) {
        told = true;
        to.closed(ended.cause);
      }
    } finally {
      delivery.unlock();
    }
  }
}
