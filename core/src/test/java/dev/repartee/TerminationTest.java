package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a process with a server. */
@Timeout(60)
class TerminationTest {
  /**
   * A server with a method that returns only after the process has begun to end, and its client
   * agrees; and with one that ends the process. Its other calls may run for ever.
   */
  public static final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
      CountDownLatch ending = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(ending::countDown));
      Service service = Service.builder()
          .method("untilTheEnd", call -> {
            call.peer().notify("runs");
            ending.await();
            return call.peer().call("maySay", String.class);
          })
          .method("exit", call -> {
            System.exit(3);
            return null;
          })
          .build();
      Options patient = Options.builder()
          .limits(limits -> limits.closeTimeout(Duration.ofHours(1)))
          .build();
      try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, patient)) {
        System.out.println(server.endpoint());
        server.join();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aServerThatIsJoinedAnswersItsRunningCallsWhenTheProcessEnds(boolean exits) throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    CompletableFuture<Process> started = new CompletableFuture<>();
    Service client = Service.builder()
        .method("runs", call -> {
          runs.countDown();
          return null;
        })
        .method("maySay", call -> {
          // Without the hook of the server the process is gone long before this time is over.
          started.join().waitFor(300, TimeUnit.MILLISECONDS);
          return "answered";
        })
        .build();
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName())
        .redirectError(Redirect.INHERIT)
        .start();
    started.complete(process);
    try (BufferedReader out =
            new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        Peer peer = Repartee.connect(out.readLine(), client, Options.DEFAULT)) {
      CallFuture<String> answer = peer.callAsync("untilTheEnd", String.class);
      assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
      if (exits) {
        peer.notify("exit"); // its handler never returns, and is not waited for
      } else {
        process.destroy(); // SIGTERM
      }
      assertThat(answer.await()).isEqualTo("answered");
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(exits ? 3 : 128 + 15);
    } finally {
      process.destroyForcibly();
    }
  }
}
