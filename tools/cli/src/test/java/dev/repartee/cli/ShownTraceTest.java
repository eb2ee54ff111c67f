package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Visible;
import dev.repartee.trace.Entry;
import dev.repartee.trace.Recording;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The messages that {@code -v -v} shows. */
class ShownTraceTest {
  private static final String REQUEST = """
      {"jsonrpc":"2.0","method":"echo","params":{"value":5,"token":"…"},"id":1}""";

  private Server server;

  @BeforeEach
  void serve() throws Exception {
    Service echo = Service.builder().method("echo", call -> 5).build();
    server = Repartee.listen("tcp://127.0.0.1:0", echo);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String uri() {
    return server.endpoint().toString();
  }

  private static List<String> withoutTimes(String err) {
    return err.lines().map(line -> line.replaceAll("\\d+\\.\\d ms", "T")).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-v -v", "-vv"})
  void callShowsEachMessageWithItsTimeDirectionAndSize(String option) throws Exception {
    Outcome outcome = Child.run(
        ("call " + uri() + " echo --named value=5 --named token=t0ken " + option).split(" "));
    assertThat(outcome.out()).isEqualTo("5\n");
    assertThat(withoutTimes(outcome.err()))
        .containsExactly(
            "T opened tcp " + uri().substring("tcp://".length()) + " (lines)",
            "connected in T",
            "T -> " + (REQUEST.length() + 4) + " bytes: " + REQUEST,
            """
                T <- 35 bytes: {"jsonrpc":"2.0","result":5,"id":1}""",
            "answered in T",
            "T closed");
  }

  @Test
  void theOtherCommandsShowTheirMessagesToo() {
    String request = """
        {"jsonrpc":"2.0","method":"echo","id":1}
        """;
    for (String[] words : new String[][] {
      {"send", uri(), "--silence", "200ms", "-v", "-v"},
      {"batch", uri(), "-v", "-v"},
      {"notify", uri(), "echo", "-vv"},
      {"session", uri(), "-v", "-v"}
    }) {
      Captured captured = new Captured(words[0].equals("session") ? "echo\n" : request);
      assertThat(Main.run(captured.stdio(), words)).as(captured.err()).isZero();
      assertThat(captured.err()).contains(" -> ").contains("\"method\":\"echo\"");
    }
  }

  @Test
  void aLongRunOfBlanksIsShownInOnePass() {
    String blanks = " ".repeat(4 << 20); // hours, if the time were quadratic
    assertThat(Visible.sentence("a" + blanks + "b")).isEqualTo("a" + blanks + "b");
    assertThat(Visible.sentence(" a" + blanks + "\r\n\t" + blanks + "b\tc\u001b\n"))
        .isEqualTo("a b c?");
  }

  @Test
  void oneVShowsNoMessage() throws Exception {
    assertThat(withoutTimes(Captured.run("", "call", uri(), "echo", "-v").err()))
        .containsExactly("connected in T", "answered in T");
  }

  @Test
  void theSystemPropertyRecordsEveryCommand(@TempDir Path temp) throws Exception {
    Path file = temp.resolve("call.jsonl");
    try (Child child = Child.start(List.of("-Drepartee.trace=" + file), "call", uri(), "echo")) {
      assertThat(child.outcome().exit()).isZero();
    }
    try (Recording recording = Recording.read(file)) {
      assertThat(recording.entries().filter(Entry.Frame.class::isInstance)).hasSize(2);
    }
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void aServerThatASignalEndsHasRecordedTheEndsOfItsConnections(@TempDir Path temp)
      throws Exception {
    Path file = temp.resolve("serve.jsonl");
    try (Child child = Child.start(
            List.of("-Drepartee.trace=" + file), "serve", "--listen", "tcp://127.0.0.1:0");
        Peer peer = Repartee.connect(child.listening())) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      child.terminate();
      assertThat(child.outcome().exit()).isZero();
    }
    try (Recording recording = Recording.read(file)) {
      assertThat(recording.entries().map(Object::getClass).map(Class::getSimpleName))
          .containsExactly("Opened", "Frame", "Frame", "Closed");
    }
  }
}
