package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.broker.server.Ports;
import dev.repartee.broker.server.ProsodyServer;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that disappear, and servers that send false stanzas. */
@Tag("ci")
class XmppLossTest extends Fixture {
  private static final Limits PATIENT = Limits.builder().connectTimeout(LONG).build();

  @Test
  void theOutcomeOfACallIsUnknownAfterTheLossOfTheServerAndLaterCallsWorkAgain() throws Exception {
    ProsodyServer prosody = closing(server(""));
    serve(prosody.uri("math"), methods);
    Peer client = client(prosody.client("ann", "math"));
    CallFuture<String> call = client.callAsync("block", String.class);
    seen("block");
    prosody.kill();
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(DisconnectedException.class)
        .hasMessageMatching(
            ".*(the server has ended it|Connection reset).*the outcome is unknown.*");
    methods.open.countDown();
    report("was lost");
    report("is the server running there?");
    assertThat(refusal(client)).contains("was not sent");
    prosody.start();
    assertThat(answer(client)).isEqualTo(3);
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

  /** Calls until the client and the service are connected again. */
  private static int answer(Peer client) {
    while (true) {
      try {
        return client.request("add").args(1, 2).idempotent().timeout(LONG).call(int.class);
      } catch (DisconnectedException e) {
        assertThat(e).hasMessageContaining("nobody listens"); // the service connects later
      }
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsLostAndTheCallEndsByItsDeadline() throws Exception {
    ProsodyServer prosody = closing(server(""));
    serve(prosody.uri("math"), methods);
    FakeClock clock = new FakeClock();
    Limits limits = ClockLimits.builder(clock)
        .connectTimeout(LONG)
        .pingInterval(LONG.multipliedBy(60))
        .build();
    Peer client = client(prosody.client("ann", "math"), limits);
    CallFuture<String> call = client.callAsync("block", String.class);
    seen("block"); // before the stop: the loss may be detected before this thread continues
    prosody.signal("STOP");
    while (clock.awaitTimer().compareTo(LONG) > 0) { // until a login has begun
      clock.advanceToTimer(); // to the next check of the connection
    }
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("the server does not answer");
    prosody.signal("CONT");
    assertThat(answer(client)).isEqualTo(3);
  }

  @Test
  void aServerThatSaysNothingFailsTheConnectionInTime() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FakeClock clock = new FakeClock();
      Limits limits = ClockLimits.builder(clock).connectTimeout(LONG).build();
      FutureTask<?> connecting = new FutureTask<>(() -> {
        connect(silent.getLocalPort(), limits);
        return null;
      });
      new Thread(connecting).start();
      try (Socket client = silent.accept()) {
        assertThat(client.getInputStream().read()).isPositive();
        clock.advance(LONG);
        assertThatThrownBy(connecting::get)
            .hasCauseInstanceOf(IOException.class)
            .hasMessageContaining("no answer within the limit connectTimeout");
      }
    }
  }

  @Test
  void noServerThereIsAClearError() throws Exception {
    int port = Ports.free();
    assertThatThrownBy(() -> connect(port, PATIENT))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot connect to 127.0.0.1:" + port + ": Connection refused")
        .hasMessageContaining("is the server running there?");
  }

  @Test
  void entitiesOfAServerAreNeitherExpandedNorFetched() throws Exception {
    try (ServerSocket outside = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServerSocket liar = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> {
        try (Socket socket = liar.accept()) {
          OutputStream out = socket.getOutputStream();
          out.write(("<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
                  + "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
                  + "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"
                  + "<!ENTITY out SYSTEM 'http://127.0.0.1:" + outside.getLocalPort() + "/'>]>"
                  + "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'"
                  + " xmlns='jabber:client' id='1' from='localhost' version='1.0'>"
                  + "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                  + "<mechanism>&out;&c;</mechanism></mechanisms></stream:features>")
              .getBytes(StandardCharsets.UTF_8));
          out.flush();
          socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
          // The client has closed the connection.
        }
      });
      server.start();
      assertThatThrownBy(() -> connect(liar.getLocalPort(), PATIENT))
          .isInstanceOf(IOException.class);
      server.join();
      outside.setSoTimeout(1);
      assertThatThrownBy(outside::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  private void connect(int port, Limits limits) throws IOException {
    Path password = Files.createTempFile("password", "");
    try {
      client(
          "xmpp://ann@localhost/math@localhost#tls=off&server=127.0.0.1:" + port + "&password-file="
              + password,
          limits);
    } finally {
      Files.delete(password);
    }
  }
}
