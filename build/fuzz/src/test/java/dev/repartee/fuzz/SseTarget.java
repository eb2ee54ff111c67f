package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.same;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.framing.SseReader;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.http.server.SseWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Checks that an event stream has the same events whether it arrives whole or in pieces, and that
 * written data can be read again.
 */
final class SseTarget {
  private static final int LIMIT = 200;

  private SseTarget() {}

  static void run(byte[] input) {
    List<String> whole = read(input, new int[] {Math.max(1, input.length)}, LIMIT);
    same("byte by byte", whole, read(input, new int[] {1}, LIMIT));
    int[] sizes = new Random(Arrays.hashCode(input)).ints(8, 1, 40).toArray();
    same("in pieces of " + Arrays.toString(sizes), whole, read(input, sizes, LIMIT));
    JsonWriter out = new JsonWriter();
    new SseWriter(out).data(input, 0, input.length).end();
    String lines = text(input, 0, input.length).replace("\r\n", "\n").replace('\r', '\n');
    same(
        "what was written",
        List.of("message id '' " + lines),
        read(out.toBytes(), sizes, Integer.MAX_VALUE));
  }

  private static List<String> read(byte[] stream, int[] sizes, int limit) {
    List<String> said = new ArrayList<>();
    SseReader reader = new SseReader(
        new SseReader.Sink() {
          @Override
          public void event(String type, String id, byte[] data, int from, int to) {
            said.add(type + " id '" + id + "' " + text(data, from, to));
          }

          @Override
          public void retry(Duration time) {
            said.add("retry " + time);
          }
        },
        limit);
    try {
      int from = 0;
      for (int i = 0; from < stream.length; i++) {
        int to = Math.min(stream.length, from + sizes[i % sizes.length]);
        reader.read(stream, from, to);
        from = to;
      }
    } catch (LimitException e) {
      said.add("too large");
    }
    return said;
  }

  private static String text(byte[] b, int from, int to) {
    return new String(b, from, to - from, ISO_8859_1);
  }
}
