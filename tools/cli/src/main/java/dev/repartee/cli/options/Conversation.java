package dev.repartee.cli.options;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which a command sends texts of any form, valid or not, and receives frames as
 * events. One thread receives with {@link #hear}; any thread may send.
 */
public final class Conversation implements AutoCloseable {
  /** An event for the receiving thread. */
  public sealed interface Event permits Text, Fault, Refused, Said, HungUp, Closed {}

  /** A received frame. */
  public record Text(byte[] bytes) implements Event {}

  /** Input that the framing cannot divide into frames. */
  public record Fault(String reason) implements Event {}

  /** A text that could not be sent. The transport may still accept others. */
  public record Refused(Failure failure) implements Event {}

  /** This side has ended its output; {@code failure} is null unless sending failed. */
  public record Said(@Nullable Exception failure) implements Event {}

  /** The peer has ended its output. */
  public record HungUp() implements Event {}

  /** Both directions have ended; {@code cause} is null after a graceful close. */
  public record Closed(@Nullable Throwable cause) implements Event {}

  /** The channel stops reading when {@link #waiting} reaches this limit. */
  private static final long MAX_WAITING = Limits.DEFAULT.queuedBytes();

  /**
   * The bytes counted for a frame in addition to its text, to limit empty frames too.
   */
  private static final int FRAME_WEIGHT = 64;

  /** The time limit of a close, longer than the transport needs to stop or kill a child process. */
  private static final Duration CLOSE_TIME = Duration.ofSeconds(7);

  private final Channel channel;
  private final String uri;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  /** The size of the received frames in {@link #events}, in bytes. */
  private final AtomicLong waiting = new AtomicLong();
  /** True after {@link Closed} was received. Used by the receiving thread only. */
  private boolean closed;

  /** Starts the channel. */
  Conversation(Channel channel, String uri) {
    this.channel = channel;
    this.uri = uri;
    channel.start(new Ear());
  }

  /**
   * Sends a text as one frame, without checking it.
   *
   * @param limit the time to wait while the peer does not read
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   */
  public void say(byte[] text, Duration limit) throws InterruptedException {
    if (!channel.awaitRoom(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw doesNotRead();
    }
    OutboundFrame frame = channel.open();
    try {
      frame.raw(text);
    } catch (LimitException e) {
      channel.discard(frame);
      throw Failure.usage("the text is not sent because it is " + Failure.reason(e));
    }
    if (channel instanceof MessageChannel messages) {
      messages.send(
          OutgoingMessage.of(frame, cause -> events.add(new Refused(Failure.refused(uri, cause)))));
    } else {
      channel.commit(frame.initiate());
    }
  }

  /** Queues the event that this side has ended its output. */
  public void said(@Nullable Exception failure) {
    events.add(new Said(failure));
  }

  /**
   * Returns the next event, or null if none arrives within {@code nanos}.
   *
   * <p>Returns null if {@code nanos} is not positive, even if an event is queued. Otherwise a
   * caller could never reach its time limit while a peer sends without a pause.
   */
  public @Nullable Event hear(long nanos) throws InterruptedException {
    if (nanos <= 0) {
      return null;
    }
    Event event = events.poll(nanos, TimeUnit.NANOSECONDS);
    if (event instanceof Text text) {
      waiting.addAndGet(-text.bytes().length - FRAME_WEIGHT);
      channel.resume();
    }
    closed |= event instanceof Closed;
    return event;
  }

  /** Closes the connection after all texts have been sent. */
  public void finish(Duration limit) throws InterruptedException {
    channel.close();
    long end = System.nanoTime() + limit.toNanos();
    while (!closed) {
      Event event = hear(end - System.nanoTime());
      if (event == null) {
        throw doesNotRead();
      }
      if (event instanceof Refused refused) {
        throw refused.failure();
      }
      if (event instanceof Closed last && last.cause() != null) {
        throw Failure.lost("the connection to " + Endpoint.shown(uri)
            + " ended before all was sent: " + Failure.reason(last.cause()));
      }
    }
  }

  private Failure doesNotRead() {
    return Failure.lost(Endpoint.shown(uri)
        + " does not read the messages sent to it; raise the limit with --timeout");
  }

  @Override
  public void close() {
    channel.close();
    long end = System.nanoTime() + CLOSE_TIME.toNanos();
    try {
      while (!closed && hear(end - System.nanoTime()) != null) {
        // Discards the remaining events.
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!closed) {
      channel.abort(null);
    }
  }

  private final class Ear implements Receiver {
    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      byte[] text = new byte[to - from];
      System.arraycopy(bytes, from, text, 0, text.length);
      waiting.addAndGet(text.length + FRAME_WEIGHT);
      events.add(new Text(text));
      return true;
    }

    @Override
    public void fault(FrameFault fault) {
      events.add(new Fault(fault.reason()));
    }

    @Override
    public boolean ready() {
      return waiting.get() < MAX_WAITING;
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {
      events.add(new HungUp());
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      events.add(new Closed(cause));
    }
  }
}
