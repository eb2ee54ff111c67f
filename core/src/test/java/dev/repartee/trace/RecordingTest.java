package dev.repartee.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.ChannelInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RecordingTest {
  private static final String HEADER = """
      {"repartee":"recording","version":1,"started":"2026-01-31T12:00:00Z"}
      """;

  @TempDir
  Path temp;

  private Path file(String text) throws IOException {
    return Files.writeString(temp.resolve("given.jsonl"), text);
  }

  private static List<Entry> read(Path file) throws IOException {
    try (Recording recording = Recording.read(file)) {
      return recording.entries().toList();
    }
  }

  /** A service that a traced program calls. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      Service echo = Service.builder().method("echo", Call::params).build();
      try (Server server = Repartee.listen("mem:program", echo);
          Peer peer = Repartee.connect(server.endpoint())) {
        System.out.println(peer.call("echo", Json.class, args[0]));
        for (int i = 0; i < Integer.getInteger("more", 0); i++) {
          peer.call("echo", Json.class, "x".repeat(1000));
        }
      }
      if (Boolean.getBoolean("exit")) {
        System.exit(0);
      }
    }
  }

  @Test
  void everyEntryIsReadAsItWasWritten() throws IOException {
    Duration at = Duration.ofNanos(1_234_567_000L);
    List<Entry> entries = List.of(
        new Entry.Opened(at, 1, new ChannelInfo("tcp", "127.0.0.1:7\"\n", "auto")),
        new Entry.Frame(
            at, 1, Direction.IN, 9, Json.parse("{\"a\":[1.50,\"é\"]}"), null, null, false),
        new Entry.Frame(at, 1, Direction.OUT, 9, null, "{\"a\n", null, true),
        new Entry.Frame(at, 2, Direction.OUT, 2, null, null, "eP8=", false),
        new Entry.Frame(at, 2, Direction.OUT, 2, null, null, null, false),
        new Entry.Fault(at, 2, "no frame"),
        new Entry.Closed(at, 1, null),
        new Entry.Closed(at, 2, "reset"),
        new Entry.Lost(at, 7),
        new Entry.Full(at));
    Path file = temp.resolve("all.jsonl");
    try (RecordingQueue queue = RecordingQueue.start(
        RecordingWriter.create(file, 1 << 20), EntryText.header(Instant.EPOCH, Mask.NAMES))) {
      entries.forEach(queue);
    }
    assertThat(Files.readAllLines(file)).hasSize(entries.size() + 1);
    assertThat(read(file)).isEqualTo(entries);
    try (Recording recording = Recording.read(file)) {
      assertThat(recording.started()).isEqualTo(Instant.EPOCH);
      assertThat(recording.mask()).isEqualTo("names");
    }
  }

  @Test
  void theMessagesOfATracedConnectionAreInTheFileWhenTheTraceIsClosed() throws Exception {
    Path file = temp.resolve("calls.jsonl");
    Service echo = Service.builder().method("echo", Call::params).build();
    try (Trace trace = Trace.builder().file(file);
        Server server =
            Repartee.listen("mem:recorded", echo, Options.builder().trace(trace).build());
        Peer peer = Repartee.connect(server.endpoint())) {
      peer.call("echo", Json.class, "one");
    }
    assertThat(read(file)).hasSize(4); // opened, in, out, closed
    assertThat(Files.readString(file)).contains("\"result\":[\"one\"]");
  }

  @Test
  void aRecordingBelongsToItsOwnerAndReplacesAnEarlierOne() throws IOException {
    Path file = temp.resolve("own.jsonl");
    Files.writeString(file, HEADER);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    Trace.builder().file(file).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(read(file)).isEmpty();
  }

  @Test
  void noOtherFileIsReplacedAndNoLinkIsFollowed() throws IOException {
    Path file = Files.writeString(temp.resolve("diary.txt"), "dear diary");
    assertThatThrownBy(() -> Trace.builder().file(file))
        .hasMessage("cannot write the recording '" + file
            + "': it exists and is no recording; name another file");
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("target"));
    assertThatThrownBy(() -> Trace.builder().file(link)).hasMessageContaining("no recording");
    assertThatThrownBy(() -> Trace.builder().file(temp.resolve("no/such/folder")))
        .hasMessageEndingWith(": its folder does not exist");
    assertThat(file).hasContent("dear diary");
  }

  @Test
  void aRecordingEndsAtItsSizeAndTellsSo() throws IOException {
    Path file = temp.resolve("full.jsonl");
    Trace trace = Trace.builder().fileBytes(1024).file(file);
    for (int i = 0; i < 100; i++) {
      trace.closed(i, null);
    }
    trace.close();
    assertThat(Files.size(file)).isLessThanOrEqualTo(1024);
    List<Entry> entries = read(file);
    assertThat(entries.get(entries.size() - 1)).isInstanceOf(Entry.Full.class);
  }

  @Test
  void unknownMembersAndEventsAreIgnored() throws IOException {
    Path file = file(HEADER.replace("}", ",\"later\":1}") + """
        {"t":5,"conn":1,"event":"paused","x":[]}
        {"t":6,"conn":1,"dir":"in","size":2,"message":{},"x":[]}
        """);
    assertThat(read(file))
        .containsExactly(new Entry.Frame(
            Duration.ofNanos(6000), 1, Direction.IN, 2, Json.EMPTY_OBJECT, null, null, false));
  }

  @Test
  void aLineThatIsNotValidIsNamed() throws IOException {
    record Bad(String line, String error) {}
    for (Bad bad : List.of(
        new Bad("{\"t\":1}\n", "the member 'conn' is missing"),
        new Bad(
            "{\"t\":1,\"conn\":1,\"dir\":\"up\",\"size\":1}\n",
            "member 'dir': expected \"in\" or \"out\""),
        new Bad("{\"t\":\"x\",\"conn\":1}\n", "member 't': expected an integer"),
        new Bad("{\"t\":1,\n", "at offset 7: "),
        new Bad("[]\n", "expected an object, got an array"),
        new Bad("{\"t\":1", "the file ends inside a line"))) {
      Path file = file(HEADER + "{\"t\":0,\"conn\":1,\"event\":\"closed\"}\n" + bad.line);
      assertThatThrownBy(() -> read(file)).hasMessageContaining("line 3: " + bad.error);
    }
    assertThatThrownBy(() -> Recording.read(file("")))
        .hasMessageContaining("line 1: not a recording");
    assertThatThrownBy(() -> Recording.read(file(HEADER.replace(":1", ":2"))))
        .hasMessageContaining("this release reads the version 1 of recordings, not 2");
  }

  @Test
  void singleLinesAreReadWithoutAFile() {
    assertThat(Recording.Header.read(Json.parse(HEADER)))
        .isEqualTo(new Recording.Header(Instant.parse("2026-01-31T12:00:00Z"), ""));
    assertThat(Entry.read(Json.parse("{\"t\":7,\"conn\":1,\"event\":\"closed\"}")))
        .isEqualTo(new Entry.Closed(Duration.ofNanos(7_000), 1, null));
    assertThat(Entry.read(Json.parse("{\"t\":7,\"conn\":1,\"event\":\"of a later release\"}")))
        .isNull();
    assertThat(
            Entry.read(Json.parse("{\"t\":" + Long.MAX_VALUE + ",\"conn\":0,\"event\":\"full\"}")))
        .isEqualTo(new Entry.Full(Duration.of(Long.MAX_VALUE, ChronoUnit.MICROS)));
    assertThatThrownBy(() -> Entry.read(Json.parse("{\"t\":7}")))
        .isInstanceOf(JsonException.class)
        .hasMessage("the member 'conn' is missing");
  }

  @Test
  void aSystemPropertyTracesAProgramThatKnowsNothingOfIt() throws Exception {
    List<String> said =
        run("-Drepartee.trace=" + temp.resolve("run-%p.jsonl"), "-Drepartee.trace.mask=values");
    assertThat(said).containsExactly("[\"secret words\"]");
    try (var files = Files.list(temp)) {
      Path file = files
          .filter(f -> f.getFileName().toString().matches("run-[0-9]+.jsonl"))
          .findFirst()
          .orElseThrow();
      assertThat(Files.readString(file)).contains("\"method\":\"echo\"").doesNotContain("words");
      assertThat(read(file)).hasSize(8); // both ends: opened, in, out, closed
    }
  }

  @Test
  void aSystemPropertyTracesToStandardError() throws Exception {
    List<String> said = run("-Drepartee.trace=stderr");
    assertThat(said)
        .anyMatch(line -> line.startsWith("{\"repartee\":\"recording\",\"version\":1,"));
    assertThat(said).anyMatch(line -> line.contains("\"params\":[\"secret words\"]"));
  }

  @Test
  void aSystemPropertyThatIsNotValidIsLoggedAndStopsNothing() throws Exception {
    assertThat(run("-Drepartee.trace=/no/such/folder/x"))
        .contains("[\"secret words\"]")
        .anyMatch(line -> line.contains(
            "no trace, although the system property repartee.trace is set: cannot write the"
                + " recording '/no/such/folder/x': its folder does not exist"));
    assertThat(run("-Drepartee.trace=stderr", "-Drepartee.trace.mask=all"))
        .anyMatch(line -> line.contains("unknown mask 'all'; known are none, names, values"));
    assertThat(run("-Drepartee.trace=stderr", "-Drepartee.trace.messageBytes=1k"))
        .anyMatch(line -> line.contains("repartee.trace.messageBytes is '1k'"));
  }

  @Test
  void everythingIsRecordedWhenAProgramExits() throws Exception {
    for (boolean exit : new boolean[] {false, true}) {
      Path file = temp.resolve(exit + ".jsonl");
      run("-Drepartee.trace=" + file, "-Dmore=1000", "-Dexit=" + exit);
      assertThat(read(file)).hasSize(8 + 4 * 1000);
    }
  }

  @Test
  @Timeout(60)
  void aProgramWithAnUnreadStandardErrorContinuesAndEnds() throws Exception {
    Process process = program(List.of("-Drepartee.trace=stderr", "-Dmore=1000")).start();
    assertThat(lines(process.getInputStream())).containsExactly("[\"secret words\"]");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void aRecordingOnAFullDiskEndsWithAWholeLine() throws Exception {
    Path file = temp.resolve("disk.jsonl");
    List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 100; exec \"$@\"", "-"));
    command.addAll(program(List.of("-XX:-UsePerfData", "-Drepartee.trace=" + file, "-Dmore=100"))
        .command());
    List<String> said =
        lines(new ProcessBuilder(command).redirectErrorStream(true).start().getInputStream());
    assertThat(said)
        .contains("[\"secret words\"]")
        .anyMatch(line -> line.contains("the recording " + file + " ends: "));
    assertThat(read(file)).hasSizeBetween(10, 399);
  }

  private static List<String> run(String... options) throws Exception {
    Process process = program(List.of(options)).redirectErrorStream(true).start();
    List<String> lines = lines(process.getInputStream());
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return lines;
  }

  private static ProcessBuilder program(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.addAll(List.of(
        "-cp", System.getProperty("java.class.path"), Program.class.getName(), "secret words"));
    return new ProcessBuilder(command);
  }

  private static List<String> lines(InputStream in) throws IOException {
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8))) {
      return reader.lines().toList();
    }
  }
}
