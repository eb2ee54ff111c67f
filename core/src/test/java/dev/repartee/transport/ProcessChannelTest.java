package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Recorder;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Execution(ExecutionMode.CONCURRENT) // most tests wait for a process to end
class ProcessChannelTest {
  private final BlockingQueue<String> errors = new LinkedBlockingQueue<>();

  private Recorder run(String uri) throws IOException {
    return run(uri, Limits.DEFAULT);
  }

  private Recorder run(String uri, Limits limits) throws IOException {
    return Recorder.on(
        new ExecTransport(errors::add).connect(Endpoint.parse(uri), limits, Headers.NONE));
  }

  private static String script(String script) {
    return "exec:" + "[\"sh\",\"-c\"," + new JsonWriter().string(script) + "]";
  }

  @Test
  void aChildAnswersFramesAndEndsAfterClose() throws Exception {
    Recorder child = run("exec:cat");
    assertThat(child.channel.info()).isEqualTo(new ChannelInfo("exec", "cat", "lines"));
    String large = "[\"" + "x".repeat(1_000_000) + "\"]";
    for (String text : List.of("{}", large, "[1]")) {
      Recorder.send(child.channel, text);
      assertThat(child.next().strip()).isEqualTo(text);
    }
    child.channel.close();
    assertThat(child.end()).isEmpty();
  }

  @Test
  void standardErrorIsPassedOnLineByLine() throws Exception {
    Recorder child = run(script("echo one >&2; echo two >&2; cat"));
    assertThat(errors.poll(Recorder.SECONDS, TimeUnit.SECONDS)).isEqualTo("one");
    assertThat(errors.poll(Recorder.SECONDS, TimeUnit.SECONDS)).isEqualTo("two");
    child.channel.close();
    child.end();
  }

  @Test
  void theLastErrorsArePassedOnBeforeTheEndIsReported() throws Exception {
    Recorder child = run(script("echo no key >&2; exit 3"));
    child.end();
    assertThat(errors).containsExactly("no key");
    child.channel.close();
  }

  @Test
  void anExitIsReportedWithItsCodeAfterTheLastAnswer() throws Exception {
    Recorder child = run(script("read line; echo '{\"last\":1}'; exit 3"));
    Recorder.send(child.channel, "{}");
    assertThat(child.next().strip()).isEqualTo("{\"last\":1}");
    assertThat(child.end().orElseThrow()).hasMessage("the process 'sh' ended with exit code 3");
    child.channel.close();
  }

  @Test
  void aKilledChildIsReportedToo() throws Exception {
    Recorder child = run(script("kill -9 $$"));
    assertThat(child.end().orElseThrow()).hasMessageContaining("ended with exit code 137");
    child.channel.close();
  }

  @Test
  void aChildThatIgnoresTheEndOfInputIsTerminated() throws Exception {
    Recorder child = run(script("echo $$; exec sleep 60"));
    long pid = Long.parseLong(child.next().strip());
    child.channel.close();
    assertThat(child.end()).isEmpty();
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void aChildThatIgnoresTerminationIsKilled() throws Exception {
    Recorder child = run(script("trap '' TERM; echo $$; while :; do sleep 1; done"));
    long pid = Long.parseLong(child.next().strip());
    child.channel.close();
    assertThat(child.end()).isEmpty();
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void abortKillsTheChildAtOnce() throws Exception {
    Recorder child = run(script("trap '' TERM; echo $$; while :; do sleep 1; done"));
    ProcessHandle process =
        ProcessHandle.of(Long.parseLong(child.next().strip())).orElseThrow();
    IOException cause = new IOException("by design");
    child.channel.abort(cause);
    assertThat(child.end()).contains(cause);
    process.onExit().get(Recorder.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aChildThatReadsNothingIsCutOff() throws Exception {
    Limits limits = Limits.builder()
        .outboundBytes(1_000)
        .drainTimeout(Duration.ofMillis(300))
        .build();
    Recorder child = run("exec:sleep 60", limits);
    Recorder.send(child.channel, "[\"" + "x".repeat(1_000_000) + "\"]");
    assertThat(child.end().orElseThrow()).hasMessageContaining("drainTimeout");
  }

  @Test
  void aChildThatReadsNothingOfManySmallFramesIsCutOff() throws Exception {
    Limits limits = Limits.builder()
        .outboundBytes(100_000)
        .drainTimeout(Duration.ofMillis(300))
        .build();
    Recorder child = run("exec:sleep 60", limits);
    assertThatThrownBy(() -> {
          while (true) {
            Recorder.send(child.channel, "[\"" + "x".repeat(1_000) + "\"]");
            child.channel.awaitRoom(Recorder.SECONDS, TimeUnit.SECONDS);
          }
        })
        .isInstanceOf(DisconnectedException.class);
    assertThat(child.end().orElseThrow()).hasMessageContaining("drainTimeout");
  }

  @Test
  void aGrandchildThatHoldsTheOutputOfAChildEndsWithIt() throws Exception {
    Recorder child = run(script("trap '' TERM; (trap - TERM; exec sleep 600) & echo $!; cat"));
    ProcessHandle grandchild =
        ProcessHandle.of(Long.parseLong(child.next().strip())).orElseThrow();
    child.channel.close();
    assertThat(child.end()).isEmpty();
    grandchild.onExit().get(Recorder.SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aConsumerOfErrorsThatFailsDoesNotStopTheChild() throws Exception {
    String flood =
        "i=0; while [ $i -lt 3000 ]; do echo " + "x".repeat(100) + " >&2; i=$((i+1)); done";
    Channel channel = new ExecTransport(line -> {
          throw new IllegalStateException("by design");
        })
        .connect(Endpoint.parse(script(flood + "; echo '[1]'; cat")), Limits.DEFAULT, Headers.NONE);
    Recorder child = Recorder.on(channel);
    assertThat(child.next().strip()).isEqualTo("[1]");
    channel.close();
    assertThat(child.end()).isEmpty();
  }

  @Test
  void aChildThatDoesNotReadItsInputEndsWithTheJvmThatIsTerminated() throws Exception {
    Process parent = parent(script("sleep 600 & echo $$ $!; exec sleep 600"));
    try (BufferedReader lines = parent.inputReader()) {
      List<ProcessHandle> children = processes(lines.readLine());
      parent.destroy();
      assertThatAllEnd(parent, children);
    } finally {
      parent.destroyForcibly();
    }
  }

  @Test
  void aProcessThatHoldsTheOutputOfAnEndedChildEndsWithTheJvm() throws Exception {
    Process parent = parent(script("sleep 600 & echo $!; exec cat"), "close");
    try (BufferedReader lines = parent.inputReader()) {
      List<ProcessHandle> children = processes(lines.readLine());
      parent.getOutputStream().close(); // not earlier: the process would end before it is found
      assertThatAllEnd(parent, children);
    } finally {
      parent.destroyForcibly();
    }
  }

  private static Process parent(String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(
        System.getProperty("java.home") + "/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        "dev.repartee.transport.ExecParent"));
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static List<ProcessHandle> processes(String pids) {
    return Stream.of(pids.split(" "))
        .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
        .toList();
  }

  private static void assertThatAllEnd(Process parent, List<ProcessHandle> children)
      throws Exception {
    for (ProcessHandle child : children) {
      child.onExit().get(Recorder.SECONDS, TimeUnit.SECONDS);
    }
    assertThat(parent.waitFor(Recorder.SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aChildHasTheFolderAndTheVariablesOfItsOptions(@TempDir Path folder) throws Exception {
    Path own = Files.createDirectory(folder.resolve("a folder"));
    String print = "printf '[\"%s\",\"%s\",\"%s\"]\\n' \"$(pwd -P)\" \"$COLOUR\" \"$PLACE\"; cat";
    Recorder child =
        run(script(print) + "#cwd=" + encoded(own) + "&env=COLOUR=a=b,PLACE=here%2C%20there");
    assertThat(child.next().strip())
        .isEqualTo("[\"" + own.toRealPath() + "\",\"a=b\",\"here, there\"]");
    child.channel.close();
    child.end();
  }

  @Test
  void standardErrorIsAppendedToAFile(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("errors of it.log"), "before\n");
    Recorder child = run(script("echo after >&2; exit 3") + "#stderr=" + encoded(file));
    assertThat(child.end().orElseThrow()).hasMessage("the process 'sh' ended with exit code 3");
    assertThat(file).hasContent("before\nafter\n");
    assertThat(errors).isEmpty();
    child.channel.close();
  }

  @Test
  void standardErrorIsDiscarded() throws Exception {
    Recorder child = run(script("echo one >&2; exit 3") + "#stderr=discard");
    assertThat(child.end().orElseThrow()).hasMessageEndingWith("exit code 3");
    assertThat(errors).isEmpty();
    child.channel.close();
  }

  @Test
  @ResourceLock(ExecTransport.LOGGER)
  void loggedErrorsAreInTheReasonOfTheEnd() throws Exception {
    BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    Logger logger = Logger.getLogger(ExecTransport.LOGGER);
    Handler handler = new StreamHandler() {
      @Override
      public void publish(LogRecord written) {
        logged.add(written.getMessage());
      }
    };
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    logger.setLevel(Level.INFO);
    try {
      Recorder child = run(
          script("echo no plugin.conf >&2; printf 'giving\\tup\\n' >&2; exit 7") + "#stderr=log");
      assertThat(child.end().orElseThrow())
          .hasMessage("the process 'sh' ended with exit code 7; its last output on standard error:"
              + " no plugin.conf | giving up");
      assertThat(logged).containsExactly("sh: no plugin.conf", "sh: giving up");
      assertThat(errors).isEmpty();
      child.channel.close();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
      logger.setLevel(null);
    }
  }

  @Test
  @ResourceLock(ExecTransport.LOGGER)
  void noMoreThanTheLastErrorsAreInTheReasonOfTheEnd() throws Exception {
    String flood =
        "i=0; while [ $i -lt 300 ]; do echo " + "x".repeat(100) + " >&2; i=$((i+1)); done";
    Recorder child = run(script(flood + "; echo last words >&2; exit 1") + "#stderr=log");
    assertThat(child.end().orElseThrow().getMessage())
        .hasSizeBetween(4_096, 4_300)
        .endsWith("x | last words");
    child.channel.close();
  }

  @Test
  void errorsThatAreNotLoggedAreInNoReason() throws Exception {
    Recorder child = run(script("echo secret >&2; exit 7"));
    assertThat(child.end().orElseThrow()).hasMessage("the process 'sh' ended with exit code 7");
    child.channel.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '`',
      value = {
        "stderr=discrad!unknown value 'discrad'; known are inherit, discard, log and the path",
        "env=secret!env of exec: is NAME=VALUE,NAME=VALUE",
        "env==secret!env of exec: is NAME=VALUE,NAME=VALUE",
        "env=A=secret,!write a comma in a value as %2C",
        "env=A=secret%2!the option env of exec: has a '%'",
        "cwd=/a%zz!the option cwd of exec: has a '%'",
        "cwd=/no-such-folder!the option cwd of exec: needs a folder, and '/no-such-folder' is none",
        "stderr=/no-such-folder/x!the option stderr of exec: needs a folder",
        "env=A=secret&env=B=secret!has the option 'env' twice",
        "env=A=secret%00!the option env of exec: has a variable with %00 in it",
        "env=A%3DB=secret!with %3D in its name",
        "env=A=secret$!%24 for '$'",
        "env=A=more secret!percent-encoded, such as %20 for a space",
        "env=A=secret&cdw=/!unknown option 'cdw'; known for exec are cwd"
      })
  void anOptionThatDoesNotFitIsNamedWithoutTheVariables(String options, String message) {
    assertThatThrownBy(() -> run("exec:cat#" + options))
        .hasMessageContaining(message)
        .message()
        .doesNotContain("secret");
  }

  private static String encoded(Path path) {
    return URLEncoder.encode(path.toString(), StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Test
  void aCommandThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> run("exec:no-such-command --x"))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot run 'no-such-command': No such file or directory; give the path of a"
            + " program, or the name of one that is on the PATH");
    assertThatThrownBy(() -> run("exec:/etc/passwd"))
        .hasMessageStartingWith("cannot run '/etc/passwd': Permission denied; ");
  }

  @Test
  void aChildCannotBeListenedTo() {
    Endpoint endpoint = Endpoint.parse("exec:cat");
    assertThatThrownBy(() -> new ExecTransport().listen(endpoint, Limits.DEFAULT, c -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("listen on stdio: in the child");
  }

  @Test
  void standardInputAndOutputAreServedUntilTheEndOfInput() throws Exception {
    Recorder child = run(new StringBuilder("exec:")
        .append('"')
        .append(System.getProperty("java.home"))
        .append("/bin/java\" -cp \"")
        .append(System.getProperty("java.class.path"))
        .append("\" dev.repartee.transport.StdioEcho")
        .toString());
    assertThat(errors.poll(Recorder.SECONDS, TimeUnit.SECONDS))
        .as("not on standard output, among the messages")
        .isEqualTo("a print of the application");
    for (int i = 0; i < 100; i++) {
      Recorder.send(child.channel, "[" + i + "]");
    }
    for (int i = 0; i < 100; i++) {
      assertThat(child.next().strip()).isEqualTo("[" + i + "]");
    }
    child.channel.close();
    assertThat(child.end()).isEmpty();
    assertThat(errors.poll(Recorder.SECONDS, TimeUnit.SECONDS)).isEqualTo("ended: Optional.empty");
  }
}
