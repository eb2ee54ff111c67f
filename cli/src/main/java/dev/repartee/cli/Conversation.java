package dev.repartee.cli;

import dev.repartee.Channel;
import dev.repartee.FrameFault;
import dev.repartee.LimitException;
import dev.repartee.Limits;
import dev.repartee.Output;
import dev.repartee.Receiver;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which a command says texts of its own making and hears whatever comes back. One
 * thread hears, any may say.
 */
final class Conversation implements AutoCloseable {
  /** What comes to whoever hears. */
  sealed interface Event permits Text, Fault, Refused, Said, HungUp, Closed {}

  /** One frame. */
  record Text(byte[] bytes) implements Event {}

  /** Input that no frame could be made of. */
  record Fault(String reason) implements Event {}

  /** A text that was said and not taken, while others may be. */
  record Refused(Failure failure) implements Event {}

  /** This side has said all it will; the failure is null if it could. */
  record Said(@Nullable Exception failure) implements Event {}

  /** The peer says nothing more. */
  record HungUp() implements Event {}

  /** Both ways have ended, in order if the cause is null. */
  record Closed(@Nullable Throwable cause) implements Event {}

  /** What may wait to be heard before no more is read. */
  private static final long MAX_WAITING = Limits.DEFAULT.queuedBytes();

  /** What a frame weighs besides its bytes, so that empty ones are bounded too. */
  private static final int FRAME_WEIGHT = 64;

  /** What a child process has to end, above what it takes to be asked to and then forced. */
  private static final Duration CLOSE_TIME = Duration.ofSeconds(7);

  private final Channel channel;
  private final String uri;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final AtomicLong waiting = new AtomicLong();
  private boolean closed;

  /** Starts the channel. */
  Conversation(Channel channel, String uri) {
    this.channel = channel;
    this.uri = uri;
    channel.start(new Ear());
  }

  /**
   * Sends a text as one frame, whatever it is.
   *
   * @throws Failure if it is too large, or the peer does not read within that time
   * @throws dev.repartee.DisconnectedException if the connection has ended
   */
  void say(byte[] text, Duration limit) throws InterruptedException {
    if (!channel.awaitRoom(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw doesNotRead();
    }
    Output frame =
        channel.open().initiate(cause -> events.add(new Refused(Failure.refused(uri, cause))));
    try {
      frame.raw(text);
    } catch (LimitException e) {
      channel.discard(frame);
      throw Failure.usage("nothing of that size is sent, since it is " + Failure.reason(e));
    }
    channel.commit(frame);
  }

  /** Tells whoever hears that nothing more will be said. */
  void said(@Nullable Exception failure) {
    events.add(new Said(failure));
  }

  /**
   * The next event, or null if there is none for that long. Of a peer that never stops talking nothing is
   * heard either when there is no time left, or those who wait for an end would wait for ever.
   */
  @Nullable Event hear(long nanos) throws InterruptedException {
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

  /**
   * Ends the connection when all that was said has left.
   *
   * @throws Failure if that cannot be, or not within that time
   */
  void finish(Duration limit) throws InterruptedException {
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
        throw new Failure(
            Exit.LOST,
            "the connection to " + uri + " ended before all was sent: "
                + Failure.reason(last.cause()));
      }
    }
  }

  private Failure doesNotRead() {
    return new Failure(
        Exit.LOST, uri + " does not read what it is sent; --timeout gives it longer");
  }

  @Override
  public void close() {
    channel.close();
    long end = System.nanoTime() + CLOSE_TIME.toNanos();
    try {
      while (!closed && hear(end - System.nanoTime()) != null) {
        // Nobody listens any more.
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
    public void inputEnded() {
      events.add(new HungUp());
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      events.add(new Closed(cause));
    }
  }
}
