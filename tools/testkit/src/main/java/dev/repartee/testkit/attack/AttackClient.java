package dev.repartee.testkit.attack;

import dev.repartee.testkit.RawConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection of an {@link AttackRun}. Used by the attacking thread only. */
final class AttackClient implements AutoCloseable {
  private static final Pattern CODE = Pattern.compile("\"error\":\\{\"code\":(-?\\d+)");
  private static final String PING = "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.ping\",\"id\":1}";
  private static final int BLOCK = 1_000;
  private static final long SLOWLY = 100_000_000;

  private final AttackRun run;
  private final RawConnection raw;
  private final AttackProtocol.Bytes in;

  /** The protocol that carries the messages. */
  final AttackProtocol protocol;

  AttackClient(AttackRun run, RawConnection raw, AttackProtocol protocol) throws IOException {
    this.run = run;
    this.raw = raw;
    this.protocol = protocol;
    this.in = new AttackProtocol.Bytes(raw.socket().getInputStream());
  }

  /** Returns whether the attack should continue. */
  boolean isRunning() {
    return !run.isStopped();
  }

  /** Returns a message with its frame. */
  byte[] framed(String message) {
    return protocol.framed(message);
  }

  AttackClient send(byte[] bytes) throws IOException {
    raw.send(bytes);
    return this;
  }

  AttackClient send(String bytes) throws IOException {
    raw.send(bytes);
    return this;
  }

  /** Sends a message and reads the reaction. */
  void ask(byte[] framed) throws IOException {
    pour(framed, 1).readReaction();
  }

  /** Reads one reaction and counts it. */
  void readReaction() throws IOException {
    run.count(kind(protocol.readReply(in)), 1);
  }

  private static String kind(String answer) {
    Matcher code = CODE.matcher(answer);
    if (code.find()) {
      return code.group(1);
    }
    return answer.startsWith("HTTP ") || answer.startsWith("close ") ? answer : AttackRun.ANSWERED;
  }

  /** Sends the same message repeatedly and reads the reactions. */
  void askRepeatedly(String message) throws IOException {
    byte[] framed = framed(message);
    while (isRunning()) {
      ask(framed);
    }
  }

  /** Sends the same notification repeatedly, with a request after every thousand. */
  void notify(String notification) throws IOException {
    if (protocol == AttackProtocol.HTTP) {
      askRepeatedly(notification); // over HTTP a notification has a reply too
    } else {
      byte[] block = block(BLOCK, i -> notification);
      byte[] ping = framed(PING);
      while (isRunning()) {
        send(block).ask(ping);
        run.count(AttackRun.TAKEN, BLOCK);
      }
    }
  }

  /** Returns messages one after another: the messages of each number up to {@code size}. */
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
  AttackClient pour(byte[] bytes, int times) throws IOException {
    try {
      for (int i = 0; i < times && isRunning(); i++) {
        send(bytes);
      }
    } catch (IOException e) {
      readReaction();
      throw e;
    }
    return this;
  }

  /** Sends the same text repeatedly, slowly and without reading, until the connection ends. */
  void trickle(String bytes) throws IOException {
    try {
      while (isRunning()) {
        send(bytes);
        LockSupport.parkNanos(SLOWLY);
      }
    } catch (IOException e) {
      readReaction();
      throw e;
    }
  }

  /** Opens another connection, which stays open unless the server closes it. */
  AttackClient openAnother() throws IOException {
    return run.connect();
  }

  /** Resets the connection, which frees it immediately at both ends. */
  @Override
  public void close() throws IOException {
    raw.socket().setSoLinger(true, 0);
    raw.close();
  }
}
