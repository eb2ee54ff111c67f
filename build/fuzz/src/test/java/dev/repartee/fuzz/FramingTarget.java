package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;

import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.contract.FrameFeed;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Checks that a framing finds the same frames in a stream that arrives whole, byte by byte, in
 * pieces, or at a receiver that stalls; that it keeps no more bytes than its limit; and that it can
 * read the frames that it writes. The limits are so low that small inputs exceed them.
 */
final class FramingTarget {
  private static final Limits LIMITS =
      Limits.builder().frameBytes(100).headerBytes(80).build();

  /**
   * The bytes that {@link dev.repartee.framing.Frames#read} may keep beyond the limit: the marks
   * around one frame.
   */
  private static final int MARKS = 64;

  private FramingTarget() {}

  /** The result of reading a stream. */
  private record Heard(List<String> frames, List<String> faults, boolean ended) {
    static Heard of(FrameFeed feed) {
      return new Heard(
          feed.frames(),
          feed.faults().stream()
              .map(f -> f.defect() + f.limit() + (f.fatal() ? " and the end" : ""))
              .toList(),
          feed.ended());
    }
  }

  static void run(Framing framing, byte[] input) {
    FrameFeed whole = new FrameFeed(framing, LIMITS).feed(input).end();
    Heard heard = Heard.of(whole);
    same("byte by byte", heard, inPieces(framing, input, new int[] {1}));
    // The random sizes depend only on the input; a finding can therefore be repeated.
    Random random = new Random(Arrays.hashCode(input));
    int[] sizes = random.ints(8, 1, 40).toArray();
    same("in pieces of " + Arrays.toString(sizes), heard, inPieces(framing, input, sizes));
    same("to a receiver that stalls", heard, stalling(framing, input, random));
    readsBack(framing, whole.messages());
  }

  private static Heard inPieces(Framing framing, byte[] input, int[] sizes) {
    FrameFeed feed = new FrameFeed(framing, LIMITS);
    int from = 0;
    for (int i = 0; from < input.length && !feed.ended(); i++) {
      int to = Math.min(input.length, from + sizes[i % sizes.length]);
      feed.feed(input, from, to);
      from = to;
    }
    check(feed.mostKept() <= LIMITS.frameBytes() + MARKS, feed.mostKept() + " bytes were kept");
    return Heard.of(feed.end());
  }

  private static Heard stalling(Framing framing, byte[] input, Random random) {
    FrameFeed feed = new FrameFeed(framing, LIMITS).welcome(0).feed(input);
    while (!feed.ended() && feed.kept().length > 0) {
      int before = feed.frames().size();
      int welcome = 1 + random.nextInt(3);
      feed.welcome(welcome);
      if (feed.frames().size() < before + welcome) {
        break; // the receiver is ready, but there are no more frames
      }
    }
    return Heard.of(feed.welcome(Integer.MAX_VALUE).end());
  }

  private static void readsBack(Framing framing, List<String> messages) {
    List<String> texts = messages.stream()
        .map(message -> Json.parse(message).toString())
        .filter(message -> message.length() < LIMITS.frameBytes() / 3) // fits in bytes, too
        .toList();
    FrameFeed self = new FrameFeed(framing, LIMITS);
    texts.forEach(text -> self.feed(self.write(text)));
    same(
        "what was written",
        texts.stream().map(FramingTarget::inOneLine).toList(),
        self.frames().stream().map(FramingTarget::inOneLine).toList());
    check(self.faults().isEmpty(), "it does not understand itself: " + self.faults());
  }

  /** Replaces line ends between tokens by spaces, since line framing changes them. */
  private static String inOneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }
}
