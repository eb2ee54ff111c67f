package dev.repartee.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of every framing, as tests. A test of a framing extends this class. */
public abstract class FramingContract {
  private static final int FRAME_BYTES = 100_000;
  private static final int MARKS = 64;
  private static final Limits LIMITS = Limits.builder().frameBytes(FRAME_BYTES).build();

  private static final List<String> MESSAGES = List.of(
      "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}",
      "[]",
      "{\"text\":\"}]\\\"{[\\\\\",\"more\":[\"\\n\\u0022\u00e9\ud83d\ude00\"]}",
      "[{\"a\":[{}]},[[]],-1.5e3,null]");

  /** Creates the tests. */
  protected FramingContract() {}

  /** Returns the framing under test. */
  protected abstract Framing framing();

  /**
   * Returns the framing of the peer; differs from {@link #framing()} if that detects the framing.
   */
  protected Framing spoken() {
    return framing();
  }

  /**
   * Opens the framing under test. Override this for a framing that is not a constant of
   * {@link Framing}.
   */
  protected Frames open(Limits limits) {
    return framing().open(limits);
  }

  /** Opens the framing of the peer. */
  protected Frames openPeer(Limits limits) {
    return spoken().open(limits);
  }

  private FrameFeed feed() {
    return new FrameFeed(open(LIMITS));
  }

  private byte[] written(List<String> messages) {
    FrameFeed peer = new FrameFeed(openPeer(LIMITS));
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    messages.forEach(message -> stream.writeBytes(peer.write(message)));
    return stream.toByteArray();
  }

  private byte[] written(String... messages) {
    return written(List.of(messages));
  }

  /** Returns a message of exactly {@code size} bytes. */
  private static String message(int size) {
    return switch (size) {
      case 1 -> "1";
      case 2 -> "{}";
      default -> "[\"" + "x".repeat(size - 4) + "\"]";
    };
  }

  private static void assertClean(FrameFeed feed, List<String> messages) {
    assertThat(feed.frames()).isEqualTo(messages);
    assertThat(feed.faults()).isEmpty();
    assertThat(feed.ended()).isFalse();
    assertThat(feed.kept()).isEmpty();
  }

  @Test
  void everyMessageComesOutAsItWentIn() {
    int[] sizes = {1, 2, 4, 9, 10, 99, 100, 0x7F, 0x80, 0xFF, 0x100, 999, 1_000, 9_999, 10_000};
    int[] large = {0xFFFF, 0x10000, FRAME_BYTES - 1};
    for (int size : IntStream.concat(IntStream.of(sizes), IntStream.of(large)).toArray()) {
      FrameFeed feed = feed().feedInPieces(written(message(size)), 8_192);
      assertClean(feed, List.of(message(size)));
    }
  }

  @Test
  void aMessageArrivesWholeWhenFedOneByteAtATime() {
    assertClean(feed().feedInPieces(written(MESSAGES), 1), MESSAGES);
  }

  @Test
  void aMessageArrivesWholeWhenCutAtEveryByte() {
    byte[] stream = written(MESSAGES);
    for (int cut = 0; cut <= stream.length; cut++) {
      FrameFeed feed = feed().feed(stream, 0, cut).feed(stream, cut, stream.length);
      assertClean(feed, MESSAGES);
    }
  }

  @Test
  void severalFramesInOneReadComeOutInOrder() {
    List<String> messages =
        IntStream.range(0, 1_000).mapToObj(i -> "[" + i + "]").toList();
    assertClean(feed().feed(written(messages)), messages);
  }

  @Test
  void aMessageIsDeliveredAsSoonAsItsFrameIsWhole() {
    FrameFeed feed = feed();
    for (int i = 0; i < MESSAGES.size(); i++) {
      byte[] before = written(MESSAGES.subList(0, i));
      byte[] stream = written(MESSAGES.subList(0, i + 1));
      feed.feed(stream, before.length, stream.length);
      assertThat(feed.frames()).hasSize(i + 1);
    }
  }

  @Test
  void readingStopsWhenTheReceiverIsNotReadyAndGoesOnLater() {
    FrameFeed feed = feed().welcome(2).feed(written(MESSAGES));
    assertThat(feed.frames()).isEqualTo(MESSAGES.subList(0, 2));
    feed.welcome(1);
    assertThat(feed.frames()).isEqualTo(MESSAGES.subList(0, 3));
    feed.welcome(0);
    assertThat(feed.frames()).isEqualTo(MESSAGES.subList(0, 3));
    assertClean(feed.welcome(9), MESSAGES);
  }

  @Test
  void bytesThatArriveWhileTheReceiverIsNotReadyAreNotLost() {
    byte[] stream = written(MESSAGES);
    for (int cut = 0; cut <= stream.length; cut++) {
      FrameFeed feed = feed().feed(stream, 0, cut).welcome(0).feed(stream, cut, stream.length);
      assertClean(feed.welcome(9), MESSAGES);
    }
  }

  @Test
  void aFrameOverTheLimitIsRefusedWithoutBeingBufferedAndTheNextOneArrives() {
    for (int size : new int[] {FRAME_BYTES, FRAME_BYTES + 1, 10 * FRAME_BYTES}) {
      byte[] stream = written("[1]", message(size), "[2]", message(size), "[3]");
      for (int piece : new int[] {1_000, 8_192, stream.length}) {
        FrameFeed feed = feed().feedInPieces(stream, piece);
        assertThat(feed.frames()).containsExactly("[1]", "[2]", "[3]");
        assertRefused(feed, 2);
      }
    }
  }

  @Test
  void aFirstFrameOverTheLimitIsRefusedWithoutBeingBufferedAndTheNextOneArrives() {
    byte[] stream = written(message(3 * FRAME_BYTES), "[1]", "[2]");
    FrameFeed feed = feed().feedInPieces(stream, 1_000);
    assertThat(feed.frames()).containsExactly("[1]", "[2]");
    assertRefused(feed, 1);
  }

  private static void assertRefused(FrameFeed feed, int times) {
    assertThat(feed.faults()).hasSize(times).allMatch(fault -> !fault.fatal());
    assertThat(feed.faults())
        .extracting(fault -> Objects.requireNonNull(fault.limit()).limit())
        .containsOnly("frameBytes");
    assertThat(feed.mostKept()).isLessThan(FRAME_BYTES + MARKS);
    assertThat(feed.ended()).isFalse();
  }

  @Test
  void aFrameJustUnderTheLimitIsTaken() {
    String largest = message(FRAME_BYTES - 1);
    assertClean(feed().feedInPieces(written(largest, "[]"), 1_000), List.of(largest, "[]"));
  }

  @Test
  void noByteIsKeptBeyondTheLimit() {
    byte[] stream = written(message(20 * FRAME_BYTES));
    FrameFeed feed = feed();
    for (int i = 0; i < stream.length - MARKS; i += 1_000) {
      feed.feed(stream, i, Math.min(stream.length - MARKS, i + 1_000));
      assertThat(feed.kept().length).isLessThan(FRAME_BYTES + MARKS);
    }
    assertThat(feed.kept()).isEmpty();
    assertThat(feed.frames()).isEmpty();
  }

  @Test
  void aStreamThatEndsBetweenFramesEndsCleanly() {
    assertClean(feed().end(), List.of());
    for (int count = 1; count <= MESSAGES.size(); count++) {
      List<String> messages = MESSAGES.subList(0, count);
      assertClean(feed().feed(written(messages)).end(), messages);
    }
  }

  @Test
  void aStreamCutAtEveryByteNeverDeliversAWrongMessage() {
    byte[] stream = written(MESSAGES);
    for (int cut = 0; cut < stream.length; cut++) {
      FrameFeed feed = feed().feed(stream, 0, cut).end();
      int delivered = feed.messages().size();
      assertThat(feed.messages()).isEqualTo(MESSAGES.subList(0, delivered));
      assertThat(delivered).isGreaterThanOrEqualTo(wholeFrames(cut));
      if (delivered < MESSAGES.size() && cut > startOfMessage(delivered)) {
        assertThat(feed.broken().size() + feed.faults().size())
            .as("cut at %s", cut)
            .isOne();
      }
    }
  }

  /** Returns the number of complete frames before {@code cut}. */
  private int wholeFrames(int cut) {
    int count = 0;
    while (written(MESSAGES.subList(0, count + 1)).length <= cut) {
      count++;
    }
    return count;
  }

  /** Returns the index in the stream at which a message starts, after the mark of its frame. */
  private int startOfMessage(int index) {
    int before = written(MESSAGES.subList(0, index)).length;
    byte[] stream = written(MESSAGES.subList(0, index + 1));
    String frame = new String(stream, before, stream.length - before, UTF_8);
    return before + frame.indexOf(MESSAGES.get(index));
  }

  @Test
  void whatIsWrittenIsReadBackByTheSameFraming() {
    FrameFeed self = feed();
    for (String message : MESSAGES) {
      self.feed(self.write(message));
    }
    assertClean(self, MESSAGES);
  }

  @Test
  void randomMessagesInRandomPiecesComeOutAsTheyWentIn() {
    Random random = new Random(7464);
    for (int round = 0; round < 300; round++) {
      List<String> messages = new ArrayList<>();
      for (int i = random.nextInt(8); i >= 0; i--) {
        messages.add(random.nextBoolean() ? object(random, 3) : array(random, 3));
      }
      byte[] stream = written(messages);
      FrameFeed feed = feed();
      for (int i = 0; i < stream.length; ) {
        int end = Math.min(stream.length, i + random.nextInt(20));
        feed.feed(stream, i, end);
        i = end;
      }
      assertClean(feed, messages);
    }
  }

  @Test
  void noiseIsNeverKeptBeyondTheLimit() {
    Random random = new Random(8259);
    byte[] alphabet = "{}[]\"\\ \r\n1aC:Content-Length: 5\r\n\r\n\u001e\u0000".getBytes(UTF_8);
    Limits small = Limits.builder().frameBytes(64).headerBytes(64).build();
    for (int round = 0; round < 2_000; round++) {
      FrameFeed feed = new FrameFeed(open(small));
      byte[] noise = new byte[random.nextInt(500)];
      random.nextBytes(noise);
      for (int i = 0; i < noise.length; i++) {
        noise[i] =
            random.nextInt(20) == 0 ? noise[i] : alphabet[(noise[i] & 0xFF) % alphabet.length];
      }
      for (int i = 0; i < noise.length && !feed.ended(); i += 7) {
        feed.feed(Arrays.copyOfRange(noise, i, Math.min(noise.length, i + 7)));
        assertThat(feed.kept().length).isLessThanOrEqualTo(64 + MARKS);
      }
      feed.end();
    }
  }

  private static String object(Random random, int depth) {
    StringBuilder text = new StringBuilder("{");
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append(string(random)).append(':').append(value(random, depth));
      text.append(i > 1 ? "," : "");
    }
    return text.append('}').toString();
  }

  private static String array(Random random, int depth) {
    StringBuilder text = new StringBuilder("[");
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append(value(random, depth)).append(i > 1 ? ", " : "");
    }
    return text.append(']').toString();
  }

  private static String value(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 6 : 4)) {
      case 0 -> String.valueOf(random.nextInt());
      case 1 -> random.nextBoolean() ? "true" : "null";
      case 2, 3 -> string(random);
      case 4 -> object(random, depth - 1);
      default -> array(random, depth - 1);
    };
  }

  private static String string(Random random) {
    String[] parts = {
      "{",
      "}",
      "[",
      "]",
      "\\\"",
      "\\\\",
      "\\n",
      "\\u0022",
      " ",
      "Content-Length: 5",
      "\u00e9",
      "\u20ac",
      "\ud83d\ude00",
      "plain",
      ",",
      ":",
      "\u2028",
      "\\u001e"
    };
    StringBuilder text = new StringBuilder("\"");
    for (int i = random.nextInt(12); i > 0; i--) {
      text.append(parts[random.nextInt(parts.length)]);
    }
    return text.append('"').toString();
  }
}
