package dev.repartee.benchmarks.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.benchmarks.load.Driver;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The limit of a client over stdio that makes one call at a time: writes prepared lines, each by
 * itself, and searches the answers for the text of the result. The first call with a callback
 * starts a thread that reads; no call may wait then.
 */
final class RawToolClient implements ToolClient {
  private static final String META = "\"_meta\":{"
      + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"raw\",\"version\":\"1\"},"
      + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private static final int FIRST_ID = 100_000_000;
  private static final int ID_DIGITS = 9;

  /** The index of the id in a line. */
  private static final int ID = 6;

  private static final byte[] DISCOVER = line("server/discover", META);
  private static final byte[] CALL = line(
      "tools/call",
      "\"name\":\"subtract\",\"arguments\":{\"minuend\":42,\"subtrahend\":23}," + META);
  private static final byte[] RESULT = "\"text\":\"19\"".getBytes(UTF_8);

  private final Process server;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] buffer = new byte[1 << 16];
  private int id = FIRST_ID;
  private int from;
  private int to;
  private final Queue<Driver.Done> pending = new ConcurrentLinkedQueue<>();
  private volatile boolean reading;

  private RawToolClient(Process server) {
    this.server = server;
    this.in = server.getInputStream();
    this.out = server.getOutputStream();
  }

  static RawToolClient connect(List<String> server) throws IOException {
    RawToolClient client = new RawToolClient(
        new ProcessBuilder(server).redirectError(Redirect.INHERIT).start());
    client.write(DISCOVER);
    client.readLine();
    return client;
  }

  private static byte[] line(String method, String params) {
    return ("{\"id\":" + FIRST_ID + ",\"jsonrpc\":\"2.0\",\"method\":\"" + method
            + "\",\"params\":{" + params + "}}\n")
        .getBytes(UTF_8);
  }

  /** Writes a request with a new id. */
  private synchronized void write(byte[] line) throws IOException {
    int rest = id++;
    for (int i = ID + ID_DIGITS - 1; i >= ID; i--) {
      line[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    out.write(line);
    out.flush();
  }

  /** Reads a line, and returns whether it contains the result. */
  private boolean readLine() throws IOException {
    int matched = 0;
    boolean found = false;
    while (true) {
      if (from == to) {
        from = 0;
        to = in.read(buffer);
        if (to < 0) {
          throw new EOFException("the server has ended");
        }
      }
      byte b = buffer[from++];
      if (b == '\n') {
        return found;
      }
      matched = b == RESULT[matched] ? matched + 1 : b == RESULT[0] ? 1 : 0;
      if (matched == RESULT.length) {
        found = true;
        matched = 0;
      }
    }
  }

  @Override
  public boolean call() throws IOException {
    write(CALL);
    return readLine();
  }

  /** Starts a call. All calls are equal: their answers may have any order. */
  @Override
  public void call(Driver.Done done) throws IOException {
    pending.add(done);
    if (!reading) {
      reading = true;
      Thread reader = new Thread(this::readAll, "raw-reader");
      reader.setDaemon(true);
      reader.start();
    }
    write(CALL);
  }

  private void readAll() {
    try {
      while (true) {
        boolean found = readLine();
        Driver.Done done = pending.remove();
        done.done(found);
      }
    } catch (IOException e) {
      pending.forEach(done -> done.done(e));
    }
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      server.destroy();
    }
  }
}
