package dev.repartee.balance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.reconnect.Backoff;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints in another process, and clients in another process. */
@Timeout(120)
@EnabledOnOs(OS.LINUX) // signals, and addresses such as 127.0.0.2
class EndpointProcessTest {
  private static final String HOST = "shop.test";

  @TempDir
  Path temp;

  private static Service named(String name) {
    return Service.builder().method("name", call -> name).build();
  }

  /** Serves until the process is ended. */
  static final class Serving {
    private Serving() {}

    public static void main(String[] args) throws Exception {
      Server server = Repartee.listen("tcp://127.0.0.1:0", named("process"));
      System.out.println(server.endpoint());
      server.join();
    }
  }

  /** Calls an endpoint for each line of standard input, and writes the result. */
  static final class Calling {
    private Calling() {}

    public static void main(String[] args) throws IOException {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      try (Peer peer = Balanced.to(List.of(args[0]))
          .backoff(Backoff.DEFAULT.initial(Duration.ofMillis(1)).max(Duration.ofMillis(20)))
          .connect()) {
        while (in.readLine() != null) {
          System.out.println(peer.call("name", String.class));
        }
      }
    }
  }

  private static Process start(Class<?> main, List<String> options, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
  }

  private static BufferedReader lines(Process process) {
    return new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
  }

  private static void signal(Process process, String signal) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  @Test
  void aStoppedProcessIsEjectedAndReturnsWhenItContinues() throws Exception {
    Changes events = new Changes();
    Process process = start(Serving.class, List.of());
    try (BufferedReader out = lines(process);
        Server other = Repartee.listen("tcp://127.0.0.1:0", named("other"))) {
      String uri = out.readLine();
      try (Peer peer = Balanced.to(List.of(uri, other.endpoint().toString()))
          .health(Duration.ofSeconds(2))
          .ejectAfter(2)
          .backoff(Backoff.DEFAULT.initial(Duration.ofMillis(1)).max(Duration.ofMillis(20)))
          .listener(events)
          .connect()) {
        awaitAnswer(peer, "process");
        signal(process, "STOP");
        await(events, "unavailable " + uri);
        for (int i = 0; i < 4; i++) {
          assertThat(name(peer)).isEqualTo("other");
        }
        signal(process, "CONT");
        await(events, "available " + uri);
        awaitAnswer(peer, "process");
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Waits for an event; a busy machine may delay the pings of other endpoints, too. */
  private static void await(Changes events, String start) throws InterruptedException {
    while (!events.next().startsWith(start)) {
      // an earlier event
    }
  }

  /** Calls until the endpoint in turn is the one with this name. */
  private static void awaitAnswer(Peer peer, String name) {
    while (!name(peer).equals(name)) {
      // the other endpoint
    }
  }

  /** Makes a call that moves to the other endpoint if a busy machine has delayed the ejection. */
  private static String name(Peer peer) {
    return peer.request("name").idempotent().call(String.class);
  }

  @Test
  void aHostThatMovesToAnotherAddressIsFoundThere() throws Exception {
    Path hosts = temp.resolve("hosts");
    Server first = Repartee.listen("tcp://127.0.0.2:0", named("first"));
    int port = first.port();
    try (Server second = Repartee.listen("tcp://127.0.0.3:" + port, named("second"))) {
      assertThat(second.port()).isEqualTo(port);
      move(hosts, "127.0.0.2");
      // The JDK reads the file for each look-up that it does not answer from its cache.
      List<String> options = List.of(
          "-Djdk.net.hosts.file=" + hosts,
          "-Dsun.net.inetaddr.ttl=0",
          "-Dsun.net.inetaddr.negative.ttl=0");
      Process client = start(Calling.class, options, "tcp://" + HOST + ":" + port);
      try (BufferedReader out = lines(client);
          BufferedWriter in =
              new BufferedWriter(new OutputStreamWriter(client.getOutputStream(), UTF_8))) {
        assertThat(answer(in, out)).isEqualTo("first");
        move(hosts, "127.0.0.3");
        assertThat(answer(in, out)).as("on the open connection").isEqualTo("first");
        first.close();
        assertThat(answer(in, out)).isEqualTo("second");
      } finally {
        client.destroyForcibly().waitFor();
      }
    } finally {
      first.close();
    }
  }

  private static void move(Path hosts, String address) throws IOException {
    Path next = hosts.resolveSibling("next");
    Files.writeString(next, address + " " + HOST + "\n");
    Files.move(next, hosts, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String answer(BufferedWriter in, BufferedReader out) throws IOException {
    in.write("call\n");
    in.flush();
    return out.readLine();
  }
}
