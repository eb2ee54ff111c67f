package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.CallBuilder;
import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.bridge.Bridge;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.broker.server.NatsServer;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import io.nats.client.Connection;
import io.nats.client.Message;
import io.nats.client.Subscription;
import io.nats.client.impl.Headers;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests through a NATS server, in ways that the contract of brokers does not cover. */
@Tag("ci")
class NatsTest extends Fixture {
  private static final String ADD = """
      {"jsonrpc":"2.0","id":7,"method":"add","params":[2,3]}""";
  private static final String SUM = """
      {"jsonrpc":"2.0","result":5,"id":7}""";

  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    nats = Fixture.server("jetstream: { store_dir: \"FOLDER/streams\" }\n");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  @Test
  void aCallWithoutAWorkerFailsAtOnce() throws Exception {
    Peer client = client(nats.uri("nobody"));
    assertThatThrownBy(() -> client.request("add").timeout(LONG).call(int.class))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("nobody listens on the subject 'nobody'")
        .hasMessageContaining("is the service running")
        .isInstanceOfSatisfying(
            DisconnectedException.class,
            e -> assertThat(e.unsent()).isEqualTo("no worker listens"));
  }

  @Test
  void aCallThroughAGatewayWithoutAWorkerIsToldAsNotRun() throws Exception {
    Bridge bridge = closing(Bridge.to(nats.uri("nobody")).open());
    Peer client = client(bridge.listen("tcp://127.0.0.1:0").endpoint().toString());
    assertThatThrownBy(() -> client.request("add").timeout(LONG).call(int.class))
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(Bridge.UNREACHABLE))
        .hasMessageContaining("was not run: no worker listens");
  }

  @Test
  void aCallThroughAGatewayCarriesTheTimeLimitOfTheGateway() throws Exception {
    Subscription requests = subscribe(plain(nats), "deadline");
    Bridge bridge =
        closing(Bridge.to(nats.uri("deadline")).timeout(Duration.ofMinutes(10)).open());
    Peer client = client(bridge.listen("tcp://127.0.0.1:0").endpoint().toString());
    CallFuture<Integer> call = client.callAsync("add", int.class);
    Message request = requests.nextMessage(LONG);
    assertThat(Long.parseLong(request.getHeaders().getFirst("Repartee-Timeout-Ms")))
        .isBetween(1L, 600_000L);
    call.cancel(true); // the bridge would wait for its end
  }

  @Test
  void aCallAboveTheBoundOnRunningCallsIsAnsweredBusy() throws Exception {
    serve(nats.uri("busy"), methods, Limits.builder().runningCalls(1).build());
    Peer client = client(nats.uri("busy"));
    CallFuture<String> first = client.callAsync("block", String.class);
    seen("block");
    assertThatThrownBy(() -> client.call("add", int.class, 1, 2))
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.BUSY));
    methods.open.countDown();
    assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("a");
    for (int sum = 0; sum != 3; ) {
      try {
        sum = client.call("add", int.class, 1, 2);
      } catch (RemoteRpcException e) { // the worker releases a call after its answer
        assertThat(e.code()).isEqualTo(RpcError.BUSY);
      }
    }
  }

  @Test
  void aWorkerThatClosesPassesAnIdempotentCallOnToAnother() throws Exception {
    class Reader {
      final AtomicInteger runs = new AtomicInteger();

      @Rpc(idempotent = true)
      public int read() throws InterruptedException {
        int run = runs.incrementAndGet();
        if (run == 1) {
          methods.seen.add("read");
          methods.open.await();
        }
        return run;
      }
    }

    Reader reader = new Reader();
    var first = serve(nats.uri("passed"), reader);
    CallFuture<Integer> call =
        client(nats.uri("passed")).request("read").timeout(LONG).send(int.class);
    seen("read");
    serve(nats.uri("passed"), reader);
    first.close(Duration.ZERO);
    assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void aPlainClientGetsExactlyOneReply() throws Exception {
    serve(nats.uri("plain"), methods);
    Connection plain = plain(nats);
    Subscription replies = subscribe(plain, "answers");
    plain.publish("plain", "answers", ADD.getBytes(UTF_8));
    assertThat(text(replies.nextMessage(LONG))).isEqualTo(SUM);
    plain.publish("plain", "answers", """
        {"jsonrpc":"2.0","id":8,"method":"steps","params":{"count":9,"progressToken":1}}\
        """.getBytes(UTF_8));
    assertThat(text(replies.nextMessage(LONG))).contains("\"id\":8");
    plain.publish("plain", "answers", ADD.getBytes(UTF_8));
    assertThat(text(replies.nextMessage(LONG))).isEqualTo(SUM); // nothing in between
  }

  @Test
  void anEmptyMessageAnswersANotificationForWhichAPlainClientWaits() throws Exception {
    serve(nats.uri("waiting"), methods);
    Message answer = plain(nats).request("waiting", """
        {"jsonrpc":"2.0","method":"note","params":["x"]}""".getBytes(UTF_8), LONG);
    assertThat(text(answer)).isEmpty();
    seen("x");
  }

  @Test
  void aRequestWithoutAReplySubjectRunsAndTheWorkerGoesOn() throws Exception {
    serve(nats.uri("silent"), methods);
    Connection plain = plain(nats);
    plain.publish("silent", """
        {"jsonrpc":"2.0","id":1,"method":"note","params":["x"]}""".getBytes(UTF_8));
    seen("x");
    assertThat(text(plain.request("silent", ADD.getBytes(UTF_8), LONG))).isEqualTo(SUM);
  }

  @Test
  void poisonIsAnsweredAndGoesToTheDeadLettersWithItsReason() throws Exception {
    serve(nats.uri("poisoned"), methods);
    Connection plain = plain(nats);
    Subscription dead = subscribe(plain, "poisoned.dead");
    assertThat(text(plain.request("poisoned", "{oops".getBytes(UTF_8), LONG))).contains("-32700");
    Message letter = dead.nextMessage(LONG);
    assertThat(text(letter)).isEqualTo("{oops");
    assertThat(letter.getHeaders().getFirst(Names.REASON)).contains("not JSON");
    assertThat(report("dead letters")).contains("poisoned.dead").contains("not JSON");
    assertThat(text(plain.request("poisoned", ADD.getBytes(UTF_8), LONG))).isEqualTo(SUM);
  }

  @Test
  void aCallEndsAtItsDeadlineAlthoughItsClientIsGone() throws Exception {
    class Waiting {
      @Rpc(lane = Lane.INLINE) // it begins before its deadline
      public CompletableFuture<String> await(Call call) {
        CompletableFuture<String> end = new CompletableFuture<>();
        methods.seen.add("await");
        call.cancellation().onCancel(() -> {
          methods.seen.add("cancelled");
          end.complete("cancelled");
        });
        return end;
      }
    }

    serve(nats.uri("deadline"), new Waiting());
    Headers headers = new Headers().put(Names.WINDOW, "1000").put(Times.HEADER, "300");
    Connection plain = plain(nats);
    plain.publish("deadline", plain.createInbox(), headers, """
        {"jsonrpc":"2.0","id":1,"method":"await"}""".getBytes(UTF_8));
    seen("await");
    seen("cancelled");
  }

  @Test
  void aHandlerKnowsTheTimeThatIsLeftForItsCall() throws Exception {
    class Left {
      @Rpc
      public long left(Call call) {
        Duration time = call.timeLeft();
        return time == null ? -1 : time.toMillis();
      }
    }

    serve(nats.uri("left"), new Left());
    Peer client = client(nats.uri("left"));
    assertThat(client.request("left").timeout(LONG).call(long.class))
        .isBetween(1L, LONG.toMillis());
    assertThat(client.request("left").timeout(Duration.ZERO).call(long.class)).isEqualTo(-1);
  }

  @Test
  void aCallWithTheMostHeadersHasThemAndItsRemainingTime() throws Exception {
    class Left {
      @Rpc
      public String left(Call call) {
        return call.header("h127") + " " + (call.timeLeft() != null);
      }
    }

    serve(nats.uri("most"), new Left());
    CallBuilder call = client(nats.uri("most")).request("left").timeout(LONG);
    for (int i = 0; i < 128; i++) {
      call.header("h" + i, "v" + i);
    }
    assertThat(call.call(String.class)).isEqualTo("v127 true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1e400", "NaN", "99999999999999999999", "[1]", "1, 2"})
  void aRemainingTimeThatIsNoNumberIsIgnored(String time) throws Exception {
    serve(nats.uri("hostile"), methods);
    Connection plain = plain(nats);
    Headers headers = new Headers().put(Times.HEADER, time);
    Message answer =
        plain.request("hostile", headers, ADD.getBytes(UTF_8)).get(60, TimeUnit.SECONDS);
    assertThat(text(answer)).isEqualTo(SUM);
  }

  @Test
  void aMessageThatTheServerWouldRefuseFailsAtTheCaller() throws Exception {
    serve(nats.uri("large"), methods);
    Peer client = client(nats.uri("large"));
    assertThatThrownBy(() -> client.call("echo", String.class, "x".repeat(5 << 20)))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("max_payload");
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void anAnswerThatTheServerWouldRefuseIsAnError() throws Exception {
    class Large {
      @Rpc
      public String large() {
        return "x".repeat(5 << 20);
      }
    }

    serve(nats.uri("large-answer"), new Large());
    Peer client = client(nats.uri("large-answer"));
    assertThatThrownBy(() -> client.request("large").timeout(LONG).call(String.class))
        .isInstanceOf(RemoteRpcException.class);
  }

  @Test
  void aStreamThatStoresTheRequestsDoesNotAnswerThem() throws Exception {
    String stream = """
        {"name":"RECORD","subjects":["recorded"],"storage":"memory"}""";
    assertThat(
            text(plain(nats).request("$JS.API.STREAM.CREATE.RECORD", stream.getBytes(UTF_8), LONG)))
        .contains("recorded");
    serve(nats.uri("recorded"), methods);
    Peer client = client(nats.uri("recorded"));
    for (int i = 0; i < 20; i++) {
      assertThat(client.call("add", int.class, i, 1)).isEqualTo(i + 1);
    }
  }

  @Test
  void anEventHasASubjectOfItsOwn() throws Exception {
    var server = serve(nats.uri("news"), methods);
    Subscription events = subscribe(plain(nats), "news.events.>");
    server.broadcast("note", "one");
    Message event = events.nextMessage(LONG);
    assertThat(event.getSubject()).isEqualTo("news.events.note");
    assertThat(text(event)).contains("\"one\"");
  }

  @Test
  void aSubscriberGetsOnlyTheEventsThatItNames() throws Exception {
    var server = serve(nats.uri("named"), methods);
    Methods subscriber = new Methods("subscriber");
    closing(Repartee.connect(
        nats.uri("named") + "#events=note", Service.of(subscriber), options(Limits.DEFAULT)));
    server.broadcast("other", "one");
    server.broadcast("note", "two");
    assertThat(subscriber.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("two");
    assertThat(reports).isEmpty(); // the method 'other' does not exist
  }

  @Test
  void theToolsOfNatsFindAWorkerAndItsStatistics() throws Exception {
    serve(nats.uri("team.math") + "#version=1.2.3", methods);
    Connection plain = plain(nats);
    assertThat(text(plain.request("team.math", ADD.getBytes(UTF_8), LONG))).isEqualTo(SUM);
    assertThat(text(plain.request("team.math", "[".getBytes(UTF_8), LONG))).contains("-32700");
    String unknown = """
        {"jsonrpc":"2.0","id":8,"method":"unknown"}""";
    assertThat(text(plain.request("team.math", unknown.getBytes(UTF_8), LONG))).contains("-32601");
    Json ping = Json.parse(text(plain.request("$SRV.PING.team_math", null, LONG)));
    assertThat(ping.get("type").as(String.class)).isEqualTo("io.nats.micro.v1.ping_response");
    assertThat(ping.get("version").as(String.class)).isEqualTo("1.2.3");
    String id = ping.get("id").as(String.class);
    Json info = Json.parse(text(plain.request("$SRV.INFO.team_math." + id, null, LONG)));
    assertThat(info.get("endpoints").at(0).get("subject").as(String.class)).isEqualTo("team.math");
    Json endpoint;
    do { // a message is counted after its reply
      Json stats = Json.parse(text(plain.request("$SRV.STATS.team_math", null, LONG)));
      endpoint = stats.get("endpoints").at(0);
    } while (endpoint.get("num_requests").as(int.class) < 3);
    assertThat(endpoint.get("num_requests").as(int.class)).isEqualTo(3);
    assertThat(endpoint.get("num_errors").as(int.class)).isEqualTo(2);
    assertThat(endpoint.get("last_error").as(String.class)).contains("-32601");
    assertThat(endpoint.get("processing_time").as(long.class)).isPositive();
  }

  @Test
  void aWorkerWithoutDiscoveryIsNotFound() throws Exception {
    serve(nats.uri("hidden") + "#micro=off", methods);
    assertThatThrownBy(
            () -> plain(nats).request("$SRV.PING.hidden", new byte[0]).get(60, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class); // no worker listens
  }

  @Test
  void aBridgeCarriesHttpToTheService() throws Exception {
    serve(nats.uri("bridged"), methods);
    Bridge bridge = closing(Bridge.to(nats.uri("bridged")).open());
    var front = bridge.listen("http://127.0.0.1:0/");
    Peer client = client(front.endpoint().toString());
    assertThat(client.call("add", int.class, 20, 22)).isEqualTo(42);
  }

  @Test
  void aCallThatAClosedWorkerNeverBeginsFailsInsteadOfWaiting() throws Exception {
    var server = serve(nats.uri("closing"), methods);
    Peer client = client(nats.uri("closing"));
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
    server.close(Duration.ZERO);
    CallFuture<Integer> late = client.request("add").args(1, 2).timeout(LONG).send(int.class);
    assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("nobody listens");
  }
}
