package dev.repartee.transport.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.framing.SseReader;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests server-sent events (HTML standard, sections 9.2.5 and 9.2.6). */
class SseTest {
  private record Event(String type, String id, String data) {}

  /**
   * Collects the events of a stream, and checks that reading the stream in pieces gives the same
   * events.
   */
  private static final class Told implements SseReader.Sink {
    final List<Event> events = new ArrayList<>();
    final List<Duration> retries = new ArrayList<>();

    static Told by(String stream) {
      byte[] bytes = stream.getBytes(UTF_8);
      Told whole = in(bytes, bytes.length);
      for (int piece = 1; piece < bytes.length; piece++) {
        Told pieces = in(bytes, piece);
        assertThat(pieces.events).isEqualTo(whole.events);
        assertThat(pieces.retries).isEqualTo(whole.retries);
      }
      return whole;
    }

    private static Told in(byte[] stream, int piece) {
      Told told = new Told();
      SseReader reader = new SseReader(told, 1_000);
      for (int from = 0; from < stream.length; from += piece) {
        reader.read(stream, from, Math.min(stream.length, from + piece));
      }
      return told;
    }

    @Override
    public void event(String type, String id, byte[] data, int from, int to) {
      events.add(new Event(type, id, new String(data, from, to - from, UTF_8)));
    }

    @Override
    public void retry(Duration time) {
      retries.add(time);
    }
  }

  private static List<Event> events(String stream) {
    return Told.by(stream).events;
  }

  private static List<String> data(String stream) {
    return events(stream).stream().map(Event::data).toList();
  }

  private static String written(java.util.function.Consumer<SseWriter> write) {
    JsonWriter out = new JsonWriter();
    write.accept(new SseWriter(out));
    return out.toString();
  }

  // ---------------------------------------------------------------- reading

  @Test
  void linesOfDataAreJoinedByLineFeeds() {
    assertThat(data("data: YHOO\ndata: +2\ndata: 10\n\n")).containsExactly("YHOO\n+2\n10");
  }

  @Test
  void theExampleWithCommentsIdsAndAnUnfinishedEventReadsAsTheStandardSays() {
    String stream = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
        + "data:  third event\n\ndata: never ended";
    assertThat(events(stream))
        .containsExactly(
            new Event("message", "1", "first event"),
            new Event("message", "", "second event"),
            new Event("message", "", " third event"));
  }

  @Test
  void emptyLinesOfDataAreData() {
    assertThat(data("data\n\ndata\ndata\n\ndata:")).containsExactly("", "\n");
  }

  @Test
  void oneSpaceBehindTheColonIsSkipped() {
    assertThat(data("data:test\n\ndata: test\n\n")).containsExactly("test", "test");
  }

  @Test
  void aLineEndsWithCarriageReturnLineFeedOrBoth() {
    assertThat(data("data: a\r\rdata: b\n\ndata: c\r\n\r\ndata: d\r\ndata: e\n\r\n"))
        .containsExactly("a", "b", "c", "d\ne");
  }

  @Test
  void aByteOrderMarkAtTheStartIsSkipped() {
    assertThat(data("\uFEFFdata: a\n\n\uFEFFdata: b\n\n")).containsExactly("a");
  }

  @Test
  void anEventHasItsStatedType() {
    assertThat(events("event: add\ndata: 1\n\ndata: 2\n\nevent: lost\n\ndata: 3\n\n"))
        .extracting(Event::type)
        .containsExactly("add", "message", "message");
  }

  @Test
  void anIdStandsUntilThereIsAnotherAndOneWithNulIsNone() {
    assertThat(events("id: 7\ndata: a\n\nid: 8\0\ndata: b\n\nid: 9\n\ndata: c\n\n"))
        .extracting(Event::id)
        .containsExactly("7", "7", "9");
  }

  @Test
  void aRetryOfDigitsIsReported() {
    assertThat(
            Told.by("retry: 1500\n\nretry: soon\nretry: -1\nretry:\nretry: 99999999999\n").retries)
        .containsExactly(Duration.ofMillis(1_500));
  }

  @Test
  void unknownFieldsAreIgnored() {
    assertThat(data("Data: a\ndatax: b\n:data: c\n data: d\ndata: e\n\n")).containsExactly("e");
  }

  @Test
  void anEventThatReachesTheLimitIsRefusedInOneLineOrMany() {
    SseReader inOneLine = new SseReader(new Told(), 100);
    byte[] line = ("data: " + "x".repeat(94)).getBytes(UTF_8);
    assertThatThrownBy(() -> inOneLine.read(line, 0, line.length))
        .isInstanceOf(LimitException.class);

    SseReader inManyLines = new SseReader(new Told(), 100);
    byte[] empty = "data\n".getBytes(UTF_8);
    assertThatThrownBy(() -> {
          for (int i = 0; i < 100; i++) {
            inManyLines.read(empty, 0, empty.length);
          }
        })
        .isInstanceOf(LimitException.class);
  }

  @Test
  void manyEventsBelowTheLimitPass() {
    Told told = new Told();
    SseReader reader = new SseReader(told, 100);
    byte[] event = ("data: " + "x".repeat(90) + "\n\n").getBytes(UTF_8);
    for (int i = 0; i < 100; i++) {
      reader.read(event, 0, event.length);
    }
    assertThat(told.events).hasSize(100);
  }

  // ---------------------------------------------------------------- writing

  @Test
  void writtenEventsCanBeRead() {
    byte[] text = "a\nb\r\nc\rd\n".getBytes(UTF_8);
    String stream =
        written(sse -> sse.event("add").id("7").data(text, 0, text.length).end());
    assertThat(stream)
        .isEqualTo("event: add\nid: 7\ndata: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
    assertThat(events(stream)).containsExactly(new Event("add", "7", "a\nb\nc\nd\n"));
  }

  @Test
  void dataIsTheSliceThatWasGiven() {
    byte[] text = "[1,2,3]".getBytes(UTF_8);
    assertThat(written(sse -> sse.data(text, 1, 4).end())).isEqualTo("data: 1,2\n\n");
  }

  @Test
  void commentsAndRetriesAreLinesOfTheirOwn() {
    assertThat(written(sse -> sse.comment("still here").retry(Duration.ofSeconds(2))))
        .isEqualTo(": still here\nretry: 2000\n");
  }

  @Test
  void aLineEndInAFieldIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> written(sse -> sse.event("a\ndata: b")));
    assertThatIllegalArgumentException().isThrownBy(() -> written(sse -> sse.id("a\r")));
    assertThatIllegalArgumentException().isThrownBy(() -> written(sse -> sse.id("a\0")));
    assertThatIllegalArgumentException().isThrownBy(() -> written(sse -> sse.comment("a\n")));
  }
}
