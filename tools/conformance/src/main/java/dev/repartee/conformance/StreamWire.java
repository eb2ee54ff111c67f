package dev.repartee.conformance;

import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A connection over two byte streams. Messages are framed; bytes are sent unchanged. */
final class StreamWire implements Wire {
  private static final int READ = 64 << 10;

  private final InputStream in;
  private final OutputStream out;
  private final AutoCloseable connection;
  private final AutoCloseable abort;
  private final Duration limit;
  private final Frames frames;
  private final Inbox inbox = new Inbox();

  /**
   * Reads on a separate thread until the stream ends or {@code connection} is closed.
   *
   * @param abort closes the connection while a thread is blocked in a write to it
   * @param limit the time limit of a write, after which the connection is aborted
   */
  StreamWire(
      InputStream in,
      OutputStream out,
      Framing framing,
      AutoCloseable connection,
      AutoCloseable abort,
      Duration limit) {
    this.abort = abort;
    this.limit = limit;
    this.in = in;
    this.out = out;
    this.connection = connection;
    this.frames = framing.open(Limits.DEFAULT);
    Thread reader = new Thread(this::read, "conformance-reader");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    String why = "";
    byte[] kept = new byte[0];
    byte[] piece = new byte[READ];
    try {
      for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
        byte[] all = Arrays.copyOf(kept, kept.length + count);
        System.arraycopy(piece, 0, all, kept.length, count);
        kept = Arrays.copyOfRange(all, frames.read(all, 0, all.length, inbox), all.length);
      }
      frames.end(kept, 0, kept.length, inbox);
    } catch (IOException e) {
      why = String.valueOf(e.getMessage());
    }
    inbox.add(new Heard.End(why));
  }

  @Override
  public @Nullable String refusal(Say what) {
    if (what instanceof Say.Http) {
      return "a byte stream carries no HTTP requests";
    }
    return what instanceof Say.Message message
        ? Carriage.refusal(frames.framing().label(), message.text())
        : null;
  }

  @Override
  public void say(Say what) throws IOException {
    if (what instanceof Say.Message message) {
      JsonWriter frame = new JsonWriter();
      frames.begin(frame);
      frame.raw(message.text());
      frames.finish(frame, 0);
      write(frame.toBytes(), Integer.MAX_VALUE);
    } else if (what instanceof Say.Bytes bytes) {
      write(bytes.assembled(text -> text), bytes.bytewise() ? 1 : Integer.MAX_VALUE);
    }
  }

  private void write(byte[] bytes, int most) throws IOException {
    TimeLimit writing = new TimeLimit(limit, abort);
    try {
      for (int from = 0; from < bytes.length; from += Math.min(most, bytes.length - from)) {
        out.write(bytes, from, Math.min(most, bytes.length - from));
        out.flush();
      }
    } finally {
      writing.close();
    }
  }

  @Override
  public @Nullable Heard hear(Duration time) throws InterruptedException {
    return inbox.next(time);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (Exception e) {
      // The connection has ended, as intended.
    }
  }
}
