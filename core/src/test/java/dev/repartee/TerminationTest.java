package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a process with a server. */
@Timeout(60)
class TerminationTest {
  /** A server whose method returns only after the process got a signal, and its client agrees. */
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
          .build();
      try (Server server = Repartee.listen("tcp://127.0.0.1:0", service)) {
        System.out.println(server.endpoint());
        server.join();
      }
    }
  }

  @Test
  void aServerThatIsJoinedAnswersItsRunningCallsWhenTheProcessIsTerminated() throws Exception {
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
      process.destroy(); // SIGTERM
      assertThat(answer.await()).isEqualTo("answered");
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as("128 and the number of SIGTERM").isEqualTo(143);
    } finally {
      process.destroyForcibly();
    }
  }
}
