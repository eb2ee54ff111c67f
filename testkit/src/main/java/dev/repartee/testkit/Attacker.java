package dev.repartee.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection of an {@link Assault}. Used by the attacking thread only. */
final class Attacker implements AutoCloseable {
  private static final Pattern CODE = Pattern.compile("\"error\":\\{\"code\":(-?\\d+)");
  private static final String PING = "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":1}";
  private static final int BLOCK = 1_000;
  private static final long SLOWLY = 100_000_000;

  private final Assault assault;
  private final RawConnection raw;
  private final Carrier.Bytes in;

  /** The protocol that carries the messages. */
  final Carrier carrier;

  Attacker(Assault assault, RawConnection raw, Carrier carrier) throws IOException {
    this.assault = assault;
    this.raw = raw;
    this.carrier = carrier;
    this.in = new Carrier.Bytes(raw.socket().getInputStream());
  }

  /** Returns whether the attack is to continue. */
  boolean goesOn() {
    return !assault.isOver();
  }

  /** Returns a message with its frame. */
  byte[] framed(String message) {
    return carrier.framed(message);
  }

  Attacker send(byte[] bytes) throws IOException {
    raw.send(bytes);
    return this;
  }

  Attacker send(String bytes) throws IOException {
    raw.send(bytes);
    return this;
  }

  /** Sends a message and reads the reaction. */
  void ask(byte[] framed) throws IOException {
    pour(framed, 1).hear();
  }

  /** Reads one reaction and counts it. */
  void hear() throws IOException {
    assault.heard(kind(carrier.hear(in)), 1);
  }

  private static String kind(String answer) {
    Matcher code = CODE.matcher(answer);
    if (code.find()) {
      return code.group(1);
    }
    return answer.startsWith("HTTP ") || answer.startsWith("close ") ? answer : Assault.ANSWERED;
  }

  /** Sends the same message repeatedly and reads the reactions. */
  void askOn(String message) throws IOException {
    byte[] framed = framed(message);
    while (goesOn()) {
      ask(framed);
    }
  }

  /** Sends the same notification repeatedly, with a request after every thousand. */
  void notify(String notification) throws IOException {
    if (carrier == Carrier.HTTP) {
      askOn(notification); // over HTTP a notification has a reply too
    } else {
      byte[] block = block(BLOCK, i -> notification);
      byte[] ping = framed(PING);
      while (goesOn()) {
        send(block).ask(ping);
        assault.heard(Assault.TAKEN, BLOCK);
      }
    }
  }

  /** Returns messages in a row: those of each number up to {@code size}. */
  @SafeVarargs
  final byte[] block(int size, IntFunction<String>... messages) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < size; i++) {
      for (IntFunction<String> message : messages) {
        block.writeBytes(framed(message.apply(i)));
      }
    }
    return block.toByteArray();
  }

  /**
   * Sends the same bytes several times without reading; if the connection ends, reads the reason.
   */
  Attacker pour(byte[] bytes, int times) throws IOException {
    try {
      for (int i = 0; i < times && goesOn(); i++) {
        send(bytes);
      }
    } catch (IOException e) {
      hear();
      throw e;
    }
    return this;
  }

  /** Sends the same text repeatedly, slowly and without reading, until the connection ends. */
  void trickle(String bytes) throws IOException {
    try {
      while (goesOn()) {
        send(bytes);
        LockSupport.parkNanos(SLOWLY);
      }
    } catch (IOException e) {
      hear();
      throw e;
    }
  }

  /** Opens another connection, which stays open unless the server closes it. */
  Attacker another() throws IOException {
    return assault.enter();
  }

  /** Resets the connection, which frees it at once at both ends. */
  @Override
  public void close() throws IOException {
    raw.socket().setSoLinger(true, 0);
    raw.close();
  }
}
