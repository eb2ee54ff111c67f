package dev.repartee.testkit;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * What goes wrong with what passes one way of a connection: of a {@link FaultProxy}, where it passes in
 * pieces as the socket gives them, or of a {@link FaultChannel}, where a piece is a frame. A value: it
 * keeps nothing of what has passed, so one may be at work in many places at once. Bytes are counted
 * from zero.
 */
public final class Fault {
  /** Nothing goes wrong. */
  public static final Fault NONE = new Fault("none", (passed, b, wire) -> whole(b, wire));

  /** How it acts. */
  private interface Step {
    /** Passes a piece on, or does otherwise, after that many bytes have come this way before it. */
    void pass(long passed, byte[] piece, Wire wire) throws IOException, InterruptedException;
  }

  private final String name;
  private final Step step;

  private Fault(String name, Step step) {
    this.name = name;
    this.step = step;
  }

  void pass(long passed, byte[] piece, Wire wire) throws IOException, InterruptedException {
    step.pass(passed, piece, wire);
  }

  // ---------------------------------------------------------------- late, or in other pieces

  /** Each piece is late by that much, and all behind it. */
  public static Fault delay(Duration time) {
    return new Fault("delay by " + time.toMillis() + " ms", (passed, b, wire) -> {
      Thread.sleep(time.toMillis());
      whole(b, wire);
    });
  }

  /** Nothing passes until that is released; then all does. */
  public static Fault hold(CountDownLatch released) {
    return new Fault("hold", (passed, b, wire) -> {
      released.await();
      whole(b, wire);
    });
  }

  /** No more than so many bytes pass at once, with such a pause behind them. */
  public static Fault throttle(int bytes, Duration pause) {
    String name = "throttle to " + bytes + " bytes in " + pause.toMillis() + " ms";
    return new Fault(name, (passed, b, wire) -> {
      for (int at = 0; at < b.length; at += bytes) {
        wire.write(b, at, Math.min(b.length, at + bytes));
        Thread.sleep(pause.toMillis());
      }
    });
  }

  /** Every byte is a piece of its own. */
  public static Fault split() {
    return split(Integer.MAX_VALUE);
  }

  /** Every byte is a piece of its own, up to that many of each piece; the rest passes whole. */
  public static Fault split(int most) {
    String name = "split" + (most == Integer.MAX_VALUE ? "" : " " + most + " bytes of each piece");
    return new Fault(name, (passed, b, wire) -> {
      int split = Math.min(most, b.length);
      for (int i = 0; i < split; i++) {
        wire.write(b, i, i + 1);
      }
      if (split < b.length) {
        wire.write(b, split, b.length);
      }
    });
  }

  /** After each piece comes such a pause, so that what follows meanwhile becomes one piece. */
  public static Fault coalesce(Duration pause) {
    return new Fault("coalesce what comes in " + pause.toMillis() + " ms", (passed, b, wire) -> {
      whole(b, wire);
      Thread.sleep(pause.toMillis());
    });
  }

  // ---------------------------------------------------------------- the end

  /** The connection ends after so many bytes. */
  public static Fault cut(long after) {
    return new Fault("cut after " + after, until(after, Wire::cut));
  }

  /** The connection is reset after so many bytes (RST, where it is one of TCP). */
  public static Fault reset(long after) {
    return new Fault("reset after " + after, until(after, Wire::reset));
  }

  /** This way ends after so many bytes, the other goes on. */
  public static Fault halfClose(long after) {
    return new Fault("half-close after " + after, until(after, Wire::end));
  }

  private interface End {
    void end(Wire wire) throws IOException;
  }

  private static Step until(long after, End end) {
    return (passed, b, wire) -> {
      if (passed + b.length <= after) {
        whole(b, wire);
      } else {
        if (passed < after) {
          wire.write(b, 0, (int) (after - passed));
        }
        end.end(wire);
      }
    };
  }

  // ---------------------------------------------------------------- other bytes

  /** The piece with that byte comes twice. */
  public static Fault duplicate(long at) {
    return new Fault("duplicate at " + at, (passed, b, wire) -> {
      whole(b, wire);
      if (passed <= at && at < passed + b.length) {
        whole(b, wire);
      }
    });
  }

  /**
   * The highest bit of that byte is flipped. That never makes a JSON text of another meaning, so that
   * whoever reads it has to notice.
   */
  public static Fault corrupt(long at) {
    return new Fault("corrupt at " + at, (passed, b, wire) -> {
      if (passed <= at && at < passed + b.length) {
        b[(int) (at - passed)] ^= (byte) 0x80;
      }
      whole(b, wire);
    });
  }

  private static void whole(byte[] b, Wire wire) throws IOException {
    wire.write(b, 0, b.length);
  }

  // ---------------------------------------------------------------- any

  /**
   * Any of them, with what it leaves to chance drawn from {@code random}: the same for the same seed.
   * None makes a connection slower than about a megabyte a second. Neither {@link #hold} is among them
   * nor {@link #duplicate}, which may make of two requests a third that nobody sent, where pieces are
   * not frames.
   *
   * @param within the byte at which it happens is one of so many, most often one of the first
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
