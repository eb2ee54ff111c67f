package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Malicious stanzas, which a server forwards or creates. */
@Tag("ci")
class XmppHostileTest extends Fixture {
  private static final String ANN = "<item jid='ann@localhost' subscription='both'/>";

  private final ScriptedServer server = new ScriptedServer();

  XmppHostileTest() throws IOException {}

  @AfterEach
  void stop() throws IOException {
    server.close(); // before the clients, which would wait for the end of their streams
  }

  /** Starts a service with these items in its roster. */
  private void service(String roster) throws Exception {
    CompletableFuture<Server> service = serveLater();
    server.loginService(roster);
    service.get(60, TimeUnit.SECONDS);
  }

  private CompletableFuture<Server> serveLater() {
    return later(() -> serve(server.service(), methods));
  }

  private static <T> CompletableFuture<T> later(Callable<T> task) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return task.call();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        work -> new Thread(work).start());
  }

  @Test
  void aStanzaWithAMalformedSenderIsNotOneOfTheOwnServer() throws Exception {
    service(ANN);
    server.send(
        "<iq type='set' id='push' from='eve@evil/' to='math@localhost/json-rpc'>"
            + "<query xmlns='jabber:iq:roster'><item jid='eve@evil' subscription='both'/></query></iq>");
    assertThat(server.call("eve@evil/x", "1", "name")).contains("forbidden");
    assertThat(server.call("ann@localhost/x", "2", "name")).contains("\"result\":\"a\"");
  }

  /** A parser keeps the names that it has read: 13 bytes for each byte of such a stanza. */
  @Test
  void theNamesInTheStanzasOfStrangersAreNotKept() throws Exception {
    service(ANN);
    server.call("ann@localhost/x", "1", "name");
    long before = used();
    int number = 0;
    for (int i = 0; i < 16; i++) {
      StringBuilder stanza = new StringBuilder("<message from='eve@evil/x'><a>");
      while (stanza.length() < 200_000) {
        stanza.append("<n").append(number++).append("/>");
      }
      server.send(stanza + "</a></message>");
    }
    server.call("ann@localhost/x", "2", "name");
    assertThat(used() - before).isLessThan(16 << 20); // more than 30 MB otherwise
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void aStanzaThatDoesNotEndEndsTheConnection() throws Exception {
    service(ANN);
    server.send("<message from='eve@evil/x'><body>");
    String text = "x".repeat(1 << 20);
    assertThatThrownBy(() -> {
          for (int i = 0; i < 200; i++) {
            server.send(text);
          }
        })
        .isInstanceOf(IOException.class);
    report("the server has sent a stanza of more than");
  }

  @Test
  void aClientThatComesBackMayUseTheIdOfACallThatWasCancelled() throws Exception {
    service(ANN);
    server.request("ann@localhost/x", "1", "block");
    seen("block");
    server.send("<presence type='unavailable' from='ann@localhost/x'/>");
    seen("cancelled");
    assertThat(server.call("ann@localhost/x", "1", "name")).contains("\"result\":\"a\"");
  }

  @Test
  void aClientCannotCancelTheCallsOfAResourceWithASpace() throws Exception {
    service(ANN);
    server.request("ann@localhost/x y", "z", "block");
    seen("block");
    server.send("<message from='ann@localhost/x'><cancel xmlns='dev.repartee:rpc' id='y z'/>"
        + "</message>");
    server.call("ann@localhost/x", "1", "name");
    methods.open.countDown();
    assertThat(server.answer("z")).contains("\"result\":\"a\"");
  }

  @Test
  void aContactThatIsRemovedGetsNoMoreEvents() throws Exception {
    CompletableFuture<Server> service = serveLater();
    server.loginService(ANN + "<item jid='bob@localhost' subscription='from'/>");
    for (String name : List.of("bob", "ann")) {
      server.send("<presence from='" + name + "@localhost/x' to='math@localhost/json-rpc'>"
          + "<events xmlns='dev.repartee:rpc'/></presence>");
      server.next("welcome");
    }
    server.send("<iq type='set' id='push'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@localhost' subscription='remove'/></query></iq>");
    server.answer("push");
    service.get(60, TimeUnit.SECONDS).broadcast("news");
    assertThat(server.next("<message.*?</message>")).contains("to='ann@localhost/x'");
  }

  @Test
  void aCallBeforeTheRosterIsReadMayBeSentAgain() throws Exception {
    CompletableFuture<Server> service = serveLater();
    server.login();
    server.next(ScriptedServer.ROSTER);
    assertThat(server.call("ann@localhost/x", "1", "name")).contains("recipient-unavailable");
    server.sendRoster(ANN);
    server.next("<presence>.*?</presence>");
    service.get(60, TimeUnit.SECONDS);
    assertThat(server.call("ann@localhost/x", "2", "name")).contains("\"result\":\"a\"");
    assertThat(reports).isEmpty();
  }

  /** A server passes stanzas on as soon as the service has its address. */
  @Test
  void aCallBeforeTheEndOfTheLoginIsAnswered() throws Exception {
    CompletableFuture<Server> service =
        later(() -> serve(server.service() + "&allow=ann@localhost", methods));
    server.login(ScriptedServer.stanza("ann@localhost/x", "1", "name"));
    assertThat(server.answer("1")).contains("\"result\":\"a\"");
    service.get(60, TimeUnit.SECONDS);
  }

  @Test
  void anIdIsAnsweredWithAllItsCharacters() throws Exception {
    service(ANN);
    assertThat(server.call("ann@localhost/x", "a&#10;&lt;&#9;b", "name")).contains("result");
  }

  @Test
  void aStrangerCannotAnswerThePingsToTheServer() throws Exception {
    CompletableFuture<Peer> client = later(() -> client(server.client()));
    server.login();
    server.next("<presence .*?/>");
    client.get(60, TimeUnit.SECONDS).notify("note", "a");
    server.next("<message.*?</message><iq type='get' id='ping-1'");
    server.send("<iq type='result' id='ping-1' from='eve@evil/x'/>");
    server.send("<iq type='result' id='ping-x' from='eve@evil/x'/>");
    server.close();
    assertThat(reports.poll(60, TimeUnit.SECONDS)).contains("the outcome is unknown");
  }

  @Test
  void aLoginThatWouldHashForHoursIsRefused() throws Exception {
    server.iterations = Integer.MAX_VALUE;
    Limits limits = Limits.builder().connectTimeout(Duration.ofSeconds(1)).build();
    CompletableFuture<Peer> client = later(() -> client(server.client(), limits));
    assertThatThrownBy(server::login) // a reset, if the limit ends an earlier step of the login
        .isInstanceOfAny(EOFException.class, SocketException.class);
    assertThatThrownBy(client::join).hasMessageContaining("cannot connect to");
    assertThat(Thread.getAllStackTraces().values())
        .noneMatch(trace -> Arrays.toString(trace).contains("ScramMechanism.hi"));
  }

  @Test
  void aServerThatAsksWithoutReadingTheAnswersIsLost() throws Exception {
    // A busy machine may delay the flood by 12 seconds.
    Limits limits = Limits.builder().pingInterval(Duration.ofSeconds(6)).build();
    CompletableFuture<Peer> client = later(() -> client(server.client(), limits));
    server.login();
    server.next("<presence .*?/>");
    CallFuture<Integer> call = client.get(60, TimeUnit.SECONDS).callAsync("add", int.class, 1, 2);
    String questions = "<iq type='get' from='eve@evil/x' id='1'/>".repeat(1_000);
    assertThatThrownBy(() -> {
          while (true) {
            server.send(questions);
          }
        })
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("the server does not answer");
  }

  @Test
  void aLongRosterIsReadWhole() throws Exception {
    Limits limits = Limits.builder().frameBytes(1_000).build();
    CompletableFuture<Server> service = later(
        () -> closing(Repartee.listen(server.service(), Service.of(methods), options(limits))));
    StringBuilder contacts = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      contacts.append("<item jid='n").append(i).append("@localhost' subscription='from'/>");
    }
    server.loginService(contacts.toString());
    service.get(60, TimeUnit.SECONDS);
    assertThat(server.call("n1999@localhost/x", "1", "name")).contains("\"result\":\"a\"");
  }
}
