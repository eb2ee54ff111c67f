package dev.repartee.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.Rpc;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.transport.DisconnectedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The loss of the server while calls are in flight. */
@Tag("ci")
class NatsLossTest extends Fixture {
  @Test
  void theOutcomeOfACallIsUnknownAfterTheLossOfTheServerAndLaterCallsWorkAgain() throws Exception {
    NatsServer nats = closing(Fixture.server(""));
    serve(nats.uri("math"), methods);
    Peer client = client(nats.uri("math"));
    CallFuture<String> call = client.callAsync("block", String.class);
    seen("block");
    nats.kill();
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(DisconnectedException.class)
        .hasMessageContaining("the outcome is unknown");
    methods.open.countDown();
    report("the connection to the server was lost");
    report("is the server running there?"); // after a failed attempt, calls fail immediately
    assertThat(refusal(client)).contains("was not sent");
    nats.start();
    assertThat(client.request("add").args(1, 2).idempotent().timeout(LONG).call(int.class))
        .isEqualTo(3); // it waits for the server, and then for the worker
    report("connected to the server again");
    assertThat(notice()).contains("was lost").endsWith("; trying again");
    assertThat(notice()).contains("is the server running there?");
    String last = notice();
    while (!last.equals("connected to the other side again")) {
      last = notice(); // a server that starts may refuse attempts for another reason
    }
    assertThat(notices).isEmpty();
  }

  /** Calls until the client has detected that the server is unreachable; returns the message. */
  private static String refusal(Peer client) {
    while (true) {
      try {
        client.request("add").args(1, 2).timeout(Duration.ofMillis(200)).call(int.class);
      } catch (DisconnectedException e) {
        return String.valueOf(e.getMessage());
      } catch (CallTimeoutException e) {
        // The first attempt to connect again has not ended yet.
      }
    }
  }

  @Test
  void aReplyWaitsForTheNextConnectionOfItsWorker() throws Exception {
    NatsServer nats = closing(Fixture.server(""));
    Proxy proxy = closing(new Proxy(nats.port()));
    serve("nats://127.0.0.1:" + proxy.port() + "/cut", methods);
    CallFuture<String> call =
        client(nats.uri("cut")).request("block").timeout(LONG).send(String.class);
    seen("block");
    proxy.cut();
    report("the connection to the server was lost");
    methods.open.countDown();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("a");
  }

  /** A server passes requests on as soon as it has read the subscription. */
  @Test
  void aRequestThatArrivesWhileItsWorkerStillConnectsIsAnswered() throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String uri = "nats://127.0.0.1:" + listening.getLocalPort() + "/math";
      Thread worker = new Thread(() -> {
        try {
          serve(uri, methods);
        } catch (IOException e) {
          // The server does not answer the flush that follows the subscriptions.
        }
      });
      worker.start();
      try (Socket socket = listening.accept();
          BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
          PrintStream out = new PrintStream(socket.getOutputStream(), true)) {
        out.print("INFO {\"version\":\"2.10.0\",\"headers\":true,\"max_payload\":1000000}\r\n");
        after(in, "PING");
        out.print("PONG\r\n");
        String id = after(in, "SUB math .*").replaceFirst(".* ", "");
        String call = """
            {"jsonrpc":"2.0","id":1,"method":"name"}""";
        out.print("MSG math " + id + " answers " + call.length() + "\r\n" + call + "\r\n");
        after(in, "PUB answers .*");
        assertThat(in.readLine()).contains("\"result\":\"a\"");
      }
      worker.join();
    }
  }

  /** Reads lines until one matches, and returns it. */
  private static String after(BufferedReader in, String regex) throws IOException {
    String line = in.readLine();
    while (line != null && !line.matches(regex)) {
      line = in.readLine();
    }
    assertThat(line).describedAs("a line '%s'", regex).isNotNull();
    return line;
  }

  @Test
  void anIdempotentCallIsSentAgainAfterTheLossOfTheServer() throws Exception {
    class Slow {
      final BlockingQueue<String> runs = new LinkedBlockingQueue<>();
      final CountDownLatch open = new CountDownLatch(1);

      @Rpc(idempotent = true)
      public String read() throws InterruptedException {
        runs.add("run");
        open.await();
        return "value";
      }
    }

    NatsServer nats = closing(Fixture.server(""));
    Slow slow = new Slow();
    serve(nats.uri("slow"), slow);
    Peer client = client(nats.uri("slow"));
    CallFuture<String> call = client.request("read").idempotent().timeout(LONG).send(String.class);
    assertThat(slow.runs.poll(60, TimeUnit.SECONDS)).isEqualTo("run");
    nats.kill();
    report("the connection to the server was lost");
    slow.open.countDown();
    nats.start();
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("value");
  }
}
