package dev.repartee.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that breaks one rule fails the cases of that rule, and no others. */
@Tag("ci")
@Execution(ExecutionMode.CONCURRENT) // most tests wait for silence
class BrokenServerTest {
  /** A time limit that no answer exceeds, also on a slow machine. A server that hangs exceeds it. */
  private static final Duration AMPLE = Duration.ofSeconds(20);

  @Test
  void aServerThatKeepsTheRulesPasses() throws Exception {
    assertThat(failed(answer -> answer, "requests", "ids", "notifications", "errors", "batches"))
        .isEmpty();
  }

  @Test
  void idsThatComeBackAsStringsFail() throws Exception {
    assertThat(failed(answer -> answer.replaceAll("\"id\":(-?[0-9.e]+)", "\"id\":\"$1\""), "ids"))
        .contains("the id comes back with a result", "the id comes back with an error")
        .doesNotContain("null is an id, and its request is answered");
  }

  @Test
  void answersWithBothMembersFail() throws Exception {
    assertThat(failed(answer -> answer.replace("\"result\"", "\"error\":null,\"result\""), "ids"))
        .contains("the id comes back with a result")
        .doesNotContain("the id comes back with an error");
  }

  @Test
  void notificationsThatAreAnsweredFail() throws Exception {
    assertThat(failed(
            answer -> answer.isEmpty()
                ? "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"x\"},\"id\":null}"
                : answer,
            "notifications"))
        .hasSizeGreaterThan(5);
  }

  @Test
  void silenceWhereAnAnswerIsOwedFailsWithinTheTimeLimit() throws Exception {
    assertThat(failed(answer -> answer.contains("-32700") ? "" : answer, "errors"))
        .containsExactly("text that is not JSON is -32700 with id null");
  }

  @Test
  void aSecondAnswerIsAwaitedForTheTimeLimit() throws Exception {
    Service late = Service.builder()
        .method("sleep", call -> {
          Thread.sleep(600); // as on a machine that is busy with other work
          return null;
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", late)) {
      Report report = Check.of(server.endpoint().toString())
          .timeout(AMPLE)
          .only(tested -> tested.name().equals("a quick call is not held up by a slow one"))
          .run(verdict -> {});
      assertThat(report.count(Outcome.PASSED)).isEqualTo(1);
    }
  }

  @Test
  void anAnswerThatMayBeMissingIsNotAwaitedForALongTimeLimit() throws Exception {
    String name = "a response that nobody waits for is not answered, or refused";
    assertThat(failed(
            answer -> answer, Duration.ofHours(1), tested -> tested.name().equals(name)))
        .isEmpty();
  }

  @Test
  void aServerThatStopsRespondingDoesNotPassAsSilent() throws Exception {
    String name = "a notification of a method that exists is not answered";
    assertThat(failed(
            answer -> answer.isEmpty() ? "<mute>" : answer,
            Duration.ofSeconds(12), // longer than a pause of the machine
            tested -> tested.name().equals(name)))
        .containsExactly(name);
  }

  @Test
  void aConnectionThatEndsAfterABadMessageFailsWhatFollows() throws Exception {
    assertThat(failed(answer -> answer.contains("-32700") ? "<end>" : answer, "order"))
        .contains("a good message is answered after a bad one");
  }

  @Test
  void anotherCodeForUnknownMethodsFailsOnlyTheCasesForThatCode() throws Exception {
    assertThat(failed(answer -> answer.replace("-32601", "-32004"), "errors", "ids", "order"))
        .isNotEmpty()
        .allSatisfy(name -> assertThat(name).startsWith("an unknown method is -32601"));
  }

  @Test
  void valuesWithWhichACaseFailsAlikeShareALineOfTheTable() throws Exception {
    try (LineServer server = new LineServer(answer -> answer.contains("-32700") ? "" : answer)) {
      String table = Check.of(server.uri())
          .timeout(AMPLE)
          .only(tested -> tested.name().startsWith("text after a request"))
          .run(verdict -> {})
          .table(false);
      assertThat(table.lines().filter(line -> line.contains("text after a request")))
          .singleElement()
          .asString()
          .contains("json: text after a request is a parse error: \"}\", \"]\",", " and 1 more");
    }
  }

  @Test
  void aServerThatGoesAwayIsReportedWithTheVerdictsUntilThen() throws Exception {
    try (LineServer server = new LineServer(answer -> answer)) {
      assertThatThrownBy(() -> Check.of(server.uri())
              .timeout(Duration.ofSeconds(1)) // five times this for a new connection
              .only(tested -> tested.group().equals("errors"))
              .run(verdict -> onceOnePassed(verdict, server::end)))
          .isInstanceOfSatisfying(ServerGoneException.class, gone -> {
            // A case that expects silence passes before the end of the connection is seen.
            assertThat(gone.report().count(Outcome.PASSED)).isBetween(1L, 2L);
            assertThat(gone.report().count(Outcome.NOT_RUN)).isPositive();
          })
          .hasMessageContainingAll("'errors: ", "cannot connect to tcp:");
    }
  }

  @Test
  void aServerThatAnswersNothingIsGivenUp() throws Exception {
    try (SilentServer server = new SilentServer()) {
      Check check = Check.of(server.uri("http")).timeout(Duration.ofMillis(100));
      assertThatThrownBy(() -> check.run(verdict -> {}))
          .isInstanceOfSatisfying(
              ServerGoneException.class,
              gone -> assertThat(gone.report().count(Outcome.NOT_RUN))
                  .isEqualTo(check.cases().size()))
          .hasMessageContainingAll("the server is silent", "3 connections", "within 100 ms");
    }
  }

  @Test
  void aServerThatStopsAnsweringIsGivenUpWithTheVerdictsUntilThen() throws Exception {
    try (LineServer server = new LineServer(answer -> answer)) {
      assertThatThrownBy(() -> Check.of(server.uri())
              .timeout(Duration.ofSeconds(2))
              .only(tested -> tested.group().equals("requests"))
              .run(verdict -> onceOnePassed(verdict, server::mute)))
          .isInstanceOfSatisfying(ServerGoneException.class, gone -> {
            assertThat(gone.report().count(Outcome.PASSED)).isPositive();
            assertThat(gone.report().count(Outcome.NOT_RUN)).isPositive();
          })
          .hasMessageContaining("the server is silent during or after 'requests:");
    }
  }

  @Test
  void aServerThatNeverReadsIsGivenUp() throws Exception {
    try (SilentServer server = new SilentServer()) {
      Json large = Json.parse("""
          {"jsonrpc":"2.0","method":"%s"}""".formatted("x".repeat(12 << 20)));
      assertThatThrownBy(() -> Check.of(server.uri("tcp"))
              .timeout(Duration.ofMillis(100))
              .opening(List.of(large))
              .run(verdict -> {}))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aCaseForAMissingMethodIsNotRun() throws Exception {
    try (LineServer server = new LineServer(answer -> answer)) {
      Report report = Check.of(server.uri())
          .words(java.util.Collections.singletonMap("subtract", null))
          .run(verdict -> {});
      assertThat(report.verdicts())
          .filteredOn(v -> v.tested().name().equals("a call with positional parameters"))
          .singleElement()
          .satisfies(v -> {
            assertThat(v.outcome()).isEqualTo(Outcome.NOT_RUN);
            assertThat(v.got()).contains("'subtract'");
          });
    }
  }

  /** A server that accepts connections and neither reads nor writes. */
  private static final class SilentServer implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    SilentServer() throws IOException {}

    String uri(String scheme) {
      return scheme + "://127.0.0.1:" + socket.getLocalPort() + "/";
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Runs an action unless a slow machine has failed the case within its short time limit. */
  private static void onceOnePassed(Verdict verdict, Runnable action) {
    if (verdict.outcome() == Outcome.PASSED) {
      action.run();
    }
  }

  private static Set<String> failed(UnaryOperator<String> fault, String... groups)
      throws Exception {
    return failed(fault, AMPLE, tested -> Set.of(groups).contains(tested.group()));
  }

  private static Set<String> failed(
      UnaryOperator<String> fault, Duration timeout, Predicate<Case> chosen) throws Exception {
    try (LineServer server = new LineServer(fault)) {
      Report report = Check.of(server.uri()).timeout(timeout).only(chosen).run(verdict -> {});
      return report.verdicts().stream()
          .filter(v -> v.outcome() == Outcome.FAILED)
          .map(v -> v.tested().name())
          .collect(Collectors.toSet());
    }
  }

  /** A correct server over lines, with answers changed by a function to break a rule. */
  private static final class LineServer implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final UnaryOperator<String> fault;
    private volatile boolean mute;

    LineServer(UnaryOperator<String> fault) throws IOException {
      this.fault = fault;
      daemon(() -> {
        while (true) {
          Socket connection = socket.accept();
          connections.add(connection);
          daemon(() -> serve(connection));
        }
      });
    }

    private interface Work {
      void run() throws IOException, InterruptedException;
    }

    private static void daemon(Work work) {
      Thread thread = new Thread(() -> {
        try {
          work.run();
        } catch (IOException | InterruptedException e) {
          // The test has ended.
        }
      });
      thread.setDaemon(true);
      thread.start();
    }

    private void serve(Socket connection) throws IOException, InterruptedException {
      try (connection;
          BufferedReader in =
              new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
          OutputStream out = connection.getOutputStream()) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          byte @Nullable [] right = OwnServers.RESPONDER.respond(line.getBytes(UTF_8));
          String answer = right == null ? "" : new String(right, UTF_8);
          String said = isProbe(line) ? answer : fault.apply(answer);
          if (mute || said.equals("<mute>")) {
            in.transferTo(Writer.nullWriter());
          }
          if (said.equals("<end>")) {
            return;
          }
          if (!said.isEmpty()) {
            out.write((said + "\n").getBytes(UTF_8));
            out.flush();
          }
        }
      }
    }

    private static boolean isProbe(String line) {
      try {
        return Objects.equals(Json.parse(line).get("method"), Json.of("repartee.probe"));
      } catch (JsonException e) {
        return false;
      }
    }

    /** Simulates a server that hangs: it accepts connections and answers nothing. */
    void mute() {
      mute = true;
    }

    /** Simulates a crash: closes all connections and accepts no more. */
    void end() {
      try {
        socket.close();
        for (Socket connection : connections) {
          connection.close();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    String uri() {
      return "tcp://127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
