package dev.repartee.testkit.fault;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ForwardingChannel;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.ReadingThread;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A channel that applies a {@link Fault} to received frames. Sent frames are not changed: for
 * faults in both directions, wrap both ends. Every piece that the fault passes on is a frame. A
 * separate thread delivers the frames, and it may wait. A {@link MessageChannel} cannot be wrapped:
 * it checks immediately whether a frame has answered a call.
 */
public final class FaultChannel extends ForwardingChannel {
  /** The number of queued frames at which the wrapped channel stops reading. */
  private static final int MOST = 16;

  private final Delivery delivery;

  private FaultChannel(Channel below, Fault fault) {
    super(below);
    this.delivery = new Delivery(fault);
  }

  /**
   * Wraps a channel that has not been started.
   *
   * @throws IllegalArgumentException if the channel has no connection, as over HTTP
   */
  public static Channel on(Channel channel, Fault fault) {
    if (channel instanceof MessageChannel) {
      throw new IllegalArgumentException(
          "faults need a connection, not " + channel.info().transport());
    }
    return new FaultChannel(channel, fault);
  }

  @Override
  public void start(Receiver receiver) {
    delivery.begin(receiver);
    super.start(new Inlet());
  }

  @Override
  public void resume() {
    delivery.goOn();
  }

  @Override
  public void close() {
    delivery.deafen();
    super.close();
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    delivery.deafen();
    super.abort(cause);
  }

  /** A received event. */
  private interface Event {
    void tell(Receiver receiver) throws IOException, InterruptedException;
  }

  /** Queues the events of the wrapped channel. */
  private final class Inlet implements Receiver {
    @Override
    public boolean frame(byte[] bytes, int from, int to) {
      byte[] frame = Arrays.copyOfRange(bytes, from, to);
      delivery.add(receiver -> delivery.frame(frame));
      return true;
    }

    @Override
    public void fault(FrameFault fault) {
      delivery.add(receiver -> receiver.fault(fault));
    }

    @Override
    public void violation(String violation) {
      delivery.add(receiver -> receiver.violation(violation));
    }

    @Override
    public void notice(String event) {
      delivery.add(receiver -> receiver.notice(event));
    }

    @Override
    public boolean ready() {
      return delivery.hasRoom();
    }

    @Override
    public void roomAgain() {
      delivery.receiver().roomAgain();
      delivery.goOn();
    }

    @Override
    public void inputClosed(@Nullable Throwable cause) {
      delivery.add(receiver -> delivery.end(cause));
    }

    @Override
    public void hungUp() {
      delivery.hangUp();
    }

    @Override
    public void closed(@Nullable Throwable cause) {
      if (cause != null) {
        delivery.deafen(); // queued frames are lost with the connection
      }
      delivery.last(receiver -> receiver.closed(cause));
    }
  }

  /**
   * Delivers the events one after another. Its monitor guards its state, except for the fields that
   * only this thread uses.
   */
  private final class Delivery extends Thread implements ReadingThread, FaultOutput {
    private final Fault fault;
    private final Queue<Event> events = new ArrayDeque<>();
    private @Nullable Event last;
    private @Nullable Receiver receiver;
    private boolean resumed;
    private boolean hungUp;
    private boolean deaf;

    // Used by this thread only.
    private long passed;
    private boolean over;

    Delivery(Fault fault) {
      super("fault-channel");
      setDaemon(true);
      this.fault = fault;
    }

    void begin(Receiver to) {
      receiver = to;
      start();
    }

    private Receiver receiver() {
      return Objects.requireNonNull(receiver);
    }

    synchronized void add(Event event) {
      if (!deaf) {
        events.add(event);
        notifyAll();
      }
    }

    synchronized void last(Event event) {
      last = event;
      notifyAll();
    }

    synchronized boolean hasRoom() {
      return events.size() < MOST;
    }

    /** Continues, because the receiver is ready again. */
    synchronized void goOn() {
      resumed = true;
      notifyAll();
    }

    /** Reports a hang-up before the queued events: the receiver may be ready for none of them. */
    synchronized void hangUp() {
      hungUp = true;
      notifyAll();
    }

    private synchronized boolean takeHangUp() {
      boolean taken = hungUp;
      hungUp = false;
      return taken;
    }

    /** Discards all events except for the end. */
    synchronized void deafen() {
      deaf = true;
      events.clear();
      if (Thread.currentThread() != this) {
        interrupt();
      }
      notifyAll();
    }

    private synchronized boolean isDeaf() {
      return deaf;
    }

    @Override
    public void run() {
      for (Event event = next(); event != null; event = next()) {
        tell(event);
      }
      tell(Objects.requireNonNull(last));
    }

    private void tell(Event event) {
      try {
        event.tell(receiver());
      } catch (InterruptedException e) {
        // The event is no longer needed.
      } catch (IOException | RuntimeException | Error e) {
        abort(e);
      }
    }

    /** Waits for the next event; returns null if only the last one remains. */
    private @Nullable Event next() {
      Event next;
      boolean hasRoomAgain;
      synchronized (this) {
        while (events.isEmpty() && last == null && !hungUp) {
          await();
        }
        if (takeHangUp()) {
          return Receiver::hungUp;
        }
        next = events.poll();
        hasRoomAgain = events.size() == MOST - 1;
      }
      if (hasRoomAgain) {
        FaultChannel.super.resume();
      }
      return next;
    }

    /** Waits for a change of state. */
    private synchronized void await() {
      try {
        wait();
      } catch (InterruptedException e) {
        // The caller checks its condition again.
      }
    }

    void frame(byte[] frame) throws IOException, InterruptedException {
      awaitReady();
      if (!over && !isDeaf()) {
        long before = passed;
        passed += frame.length;
        fault.pass(before, frame, this);
      }
    }

    private void awaitReady() {
      while (!over && !isDeaf()) {
        synchronized (this) {
          resumed = false;
        }
        if (takeHangUp()) {
          receiver().hungUp();
        }
        if (receiver().ready()) {
          return;
        }
        synchronized (this) {
          while (!resumed && !deaf && !hungUp) {
            await();
          }
        }
      }
    }

    @Override
    public void write(byte[] bytes, int from, int to) {
      if (!over && !isDeaf()) {
        receiver().frame(bytes, from, to);
      }
    }

    @Override
    public void end() {
      end(null);
    }

    void end(@Nullable Throwable cause) {
      if (!over) {
        over = true;
        receiver().inputClosed(cause);
      }
    }

    @Override
    public void cut() {
      abort(new IOException("the connection was cut"));
    }

    @Override
    public void reset() {
      abort(new IOException("Connection reset"));
    }

    private void abort(Throwable cause) {
      over = true;
      FaultChannel.super.abort(cause);
    }
  }
}
