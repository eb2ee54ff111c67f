package dev.repartee.testkit.fault;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * A fault of one direction of a connection. In a {@link FaultProxy} it is applied to pieces as the
 * socket returns them, in a {@link FaultChannel} to frames. Immutable and without state: one object
 * can be used for several connections at the same time. Bytes are counted from zero.
 */
public final class Fault {
  /** No fault. */
  public static final Fault NONE = new Fault("none", (passed, b, out) -> whole(b, out));

  /** The action of a fault. */
  private interface Step {
    /** Handles a piece; {@code passed} is the number of bytes of this direction before it. */
    void pass(long passed, byte[] piece, FaultOutput out) throws IOException, InterruptedException;
  }

  private final String name;
  private final Step step;

  private Fault(String name, Step step) {
    this.name = name;
    this.step = step;
  }

  void pass(long passed, byte[] piece, FaultOutput out) throws IOException, InterruptedException {
    step.pass(passed, piece, out);
  }

  // ---------------------------------------------------------------- delays and other pieces

  /** Returns a fault that delays each piece, and thereby all later ones. */
  public static Fault delay(Duration time) {
    return new Fault("delay by " + time.toMillis() + " ms", (passed, b, out) -> {
      Thread.sleep(time.toMillis());
      whole(b, out);
    });
  }

  /** Returns a fault that holds all pieces until the latch is released. */
  public static Fault hold(CountDownLatch released) {
    return new Fault("hold", (passed, b, out) -> {
      released.await();
      whole(b, out);
    });
  }

  /**
   * Returns a fault that passes at most {@code bytes} bytes at a time, with a pause after each
   * time.
   */
  public static Fault throttle(int bytes, Duration pause) {
    String name = "throttle to " + bytes + " bytes in " + pause.toMillis() + " ms";
    return new Fault(name, (passed, b, out) -> {
      for (int at = 0; at < b.length; at += bytes) {
        out.write(b, at, Math.min(b.length, at + bytes));
        Thread.sleep(pause.toMillis());
      }
    });
  }

  /** Returns a fault that makes every byte a piece. */
  public static Fault split() {
    return split(Integer.MAX_VALUE);
  }

  /**
   * Returns a fault that makes each of the first bytes of a piece a piece; the rest stays whole.
   */
  public static Fault split(int most) {
    String name = "split" + (most == Integer.MAX_VALUE ? "" : " " + most + " bytes of each piece");
    return new Fault(name, (passed, b, out) -> {
      int split = Math.min(most, b.length);
      for (int i = 0; i < split; i++) {
        out.write(b, i, i + 1);
      }
      if (split < b.length) {
        out.write(b, split, b.length);
      }
    });
  }

  /**
   * Returns a fault with a pause after each piece. The bytes that arrive during a pause become one
   * piece.
   */
  public static Fault coalesce(Duration pause) {
    return new Fault("coalesce what comes in " + pause.toMillis() + " ms", (passed, b, out) -> {
      whole(b, out);
      Thread.sleep(pause.toMillis());
    });
  }

  // ---------------------------------------------------------------- end of the connection

  /** Returns a fault that closes the connection after this number of bytes. */
  public static Fault cut(long after) {
    return new Fault("cut after " + after, until(after, FaultOutput::cut));
  }

  /** Returns a fault that resets the connection after this number of bytes (RST over TCP). */
  public static Fault reset(long after) {
    return new Fault("reset after " + after, until(after, FaultOutput::reset));
  }

  /**
   * Returns a fault that ends this direction after this number of bytes; the other one continues.
   */
  public static Fault halfClose(long after) {
    return new Fault("half-close after " + after, until(after, FaultOutput::end));
  }

  private interface End {
    void end(FaultOutput out) throws IOException;
  }

  private static Step until(long after, End end) {
    return (passed, b, out) -> {
      if (passed + b.length <= after) {
        whole(b, out);
      } else {
        if (passed < after) {
          out.write(b, 0, (int) (after - passed));
        }
        end.end(out);
      }
    };
  }

  // ---------------------------------------------------------------- changed bytes

  /** Returns a fault that sends the piece with the byte at {@code at} twice. */
  public static Fault duplicate(long at) {
    return new Fault("duplicate at " + at, (passed, b, out) -> {
      whole(b, out);
      if (passed <= at && at < passed + b.length) {
        whole(b, out);
      }
    });
  }

  /**
   * Returns a fault that flips the highest bit of the byte at {@code at}. The result is never a
   * JSON text with another meaning; the receiver can always detect it.
   */
  public static Fault corrupt(long at) {
    return new Fault("corrupt at " + at, (passed, b, out) -> {
      if (passed <= at && at < passed + b.length) {
        b[(int) (at - passed)] ^= (byte) 0x80;
      }
      whole(b, out);
    });
  }

  private static void whole(byte[] b, FaultOutput out) throws IOException {
    out.write(b, 0, b.length);
  }

  // ---------------------------------------------------------------- random faults

  /**
   * Returns a random fault with random parameters; the same for the same seed. No fault makes a
   * connection slower than about one megabyte per second. {@link #hold} is left out, and
   * {@link #duplicate} too: if pieces are not frames, it may combine two requests into a third one.
   *
   * @param within the limit of the position of the fault in bytes; early positions are more likely
   */
  public static Fault random(Random random, long within) {
    long at = (long) Math.pow(within, random.nextDouble());
    Duration moment = Duration.ofMillis(1 + random.nextInt(5));
    return switch (random.nextInt(8)) {
      case 0 -> delay(moment);
      case 1 -> throttle(8 << 10, moment);
      case 2 -> split(1 << 10);
      case 3 -> coalesce(moment);
      case 4 -> cut(at);
      case 5 -> reset(at);
      case 6 -> halfClose(at);
      default -> corrupt(at);
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
