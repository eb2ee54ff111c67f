package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.bridge.Bridge;
import dev.repartee.broker.server.Ports;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.Level;
import dev.repartee.conformance.Report;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.testkit.fault.FaultProxy;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behaviour specific to AMQP, and the failures of a broker, with a real RabbitMQ. */
@Tag("ci")
class AmqpTest extends Fixture {
  private final String uri = rabbit.uri(queue);
  /** A service that counts its calls. */
  public static class Account {
    final AtomicInteger runs = new AtomicInteger();
    final CountDownLatch goOn = new CountDownLatch(1);
    final BlockingQueue<String> began = new LinkedBlockingQueue<>();

    @Rpc
    public int withdraw(int amount) throws InterruptedException {
      began.add("withdraw");
      goOn.await();
      return -amount * runs.incrementAndGet();
    }

    @Rpc(idempotent = true)
    public int balance() throws InterruptedException {
      began.add("balance");
      goOn.await();
      return runs.incrementAndGet();
    }

    @Rpc
    public int add(int a, int b) {
      return a + b;
    }
  }

  /** Returns a proxy to the broker, which can cut connections. */
  private FaultProxy cable() throws IOException {
    return closing(FaultProxy.to(Endpoint.parse("tcp://127.0.0.1:" + rabbit.port())));
  }

  private String over(FaultProxy cable) {
    String port = cable.endpoint().address().replaceFirst(".*:", "");
    return "amqp://guest@127.0.0.1:" + port + "/" + queue;
  }

  // ---------------------------------------------------------------- addresses

  @Test
  void anUnknownQueueIsAnErrorWhenConnecting() {
    assertThatThrownBy(() -> Repartee.connect(uri))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("there is no queue '" + queue + "'")
        .hasMessageContaining("is the service running");
  }

  @Test
  void wrongCredentialsAreAnErrorWithoutThePassword() {
    assertThatThrownBy(
            () -> Repartee.connect("amqp://root:secret@127.0.0.1:" + rabbit.port() + "/" + queue))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the broker refuses the user 'root'")
        .hasMessageNotContaining("secret");
  }

  @Test
  void anUnknownVirtualHostIsAnError() {
    assertThatThrownBy(() -> Repartee.connect(uri + "#vhost=none"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does the virtual host 'none' exist");
  }

  @Test
  void aPortWithoutABrokerIsAnError() {
    String gone = "amqp://guest@127.0.0.1:" + Ports.free() + "/" + queue;
    assertThatThrownBy(() -> Repartee.connect(gone))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is the broker running there?");
  }

  @Test
  void aPortForTlsIsAnErrorWithoutIt() {
    assertThatThrownBy(
            () -> Repartee.connect("amqp://guest@127.0.0.1:" + rabbit.tlsPort() + "/" + queue))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("use the scheme amqps");
  }

  @Test
  void malformedAddressesAndOptionsAreRefusedWithTheRemedy() {
    for (String bad : List.of(
        "amqp://127.0.0.1",
        "amqp:math",
        "amqp://127.0.0.1:99999/math",
        "amqp://user@127.0.0.1/math",
        "amqp://127.0.0.1/amq.math",
        "amqp://127.0.0.1/%zz",
        "amqp://127.0.0.1/math#prefetch=5",
        "amqp://127.0.0.1/math#ca=x.pem")) {
      assertThatThrownBy(() -> Repartee.connect(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching("(?s).*(such as|write|leave|names no).*");
    }
    assertThatThrownBy(() -> Repartee.listen(uri + "#prefetch=0", Service.of(new Account())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("give a number from 1 to 1024");
  }

  @Test
  void thePasswordMayBeInAFile(@TempDir Path folder) throws Exception {
    serve(uri, new Account());
    Path file = Files.writeString(folder.resolve("password"), "guest\n");
    assertThat(client(uri + "#password-file=" + file).call("add", int.class, 1, 2))
        .isEqualTo(3);
  }

  @Test
  void theEndpointOfAServerHasNoCredentials() throws Exception {
    Server server = serve(
        "amqp://guest:guest@127.0.0.1:" + rabbit.port() + "/" + queue + "#prefetch=3",
        new Account());
    assertThat(server.endpoint()).hasToString("amqp://127.0.0.1:" + rabbit.port() + "/" + queue);
    assertThatThrownBy(server::port) // the port belongs to the broker
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has no port");
    assertThat(client(server.endpoint().toString()).call("add", int.class, 1, 2))
        .isEqualTo(3);
  }

  // ---------------------------------------------------------------- messages that go wrong

  @Test
  void aQueueThatIsDeletedFailsTheNextCallAtOnceAndTheWorkerDeclaresItAgain() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, Map.of());
    Peer client = client(uri);
    raw.queueDelete(queue);
    assertThatThrownBy(() -> client.call("add", int.class, 1, 2))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("there is no queue '" + queue + "'");
    client.notify("add", 1, 2);
    report("there is no queue");

    serve(uri, new Account());
    raw.queueDelete(queue);
    report("was deleted");
    for (boolean served = false; !served; ) {
      try {
        served = client.call("add", int.class, 1, 2) == 3;
      } catch (DisconnectedException e) {
        assertThat(e).hasMessageContaining("there is no queue");
      }
    }
  }

  @Test
  void aFullQueueIsAnErrorAtOnce() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(
        queue, true, false, false, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    Peer client = client(uri);
    client.callAsync("add", int.class, 1, 2); // waits in the queue
    assertThatThrownBy(() -> client.call("add", int.class, 1, 2))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("is full")
        .isInstanceOfSatisfying(
            DisconnectedException.class,
            e -> assertThat(e.unsent()).isEqualTo("the queue is full"));
  }

  @Test
  void aMessageThatIsNotJsonIsAnsweredAndBecomesADeadLetterWithItsReason() throws Exception {
    serve(uri, new Account());
    Channel raw = raw();
    String replies = raw.queueDeclare().getQueue();
    raw.basicPublish(
        "",
        queue,
        new BasicProperties.Builder().replyTo(replies).correlationId("7").build(),
        "{no".getBytes(UTF_8));
    GetResponse reply = next(raw, replies);
    assertThat(new String(reply.getBody(), UTF_8)).contains("-32700");
    assertThat(reply.getProps().getCorrelationId()).isEqualTo("7");
    GetResponse dead = next(raw, queue + ".dead");
    assertThat(new String(dead.getBody(), UTF_8)).isEqualTo("{no");
    assertThat(dead.getProps().getHeaders().get("repartee-reason"))
        .hasToString("The message is not JSON");

    raw.basicPublish("", queue, null, "[1]".getBytes(UTF_8)); // no client waits for the answer
    raw.basicPublish("", queue, null, "{}".getBytes(UTF_8));
    assertThat(next(raw, queue + ".dead").getProps().getHeaders().get("repartee-reason"))
        .hasToString("The message is JSON, but not JSON-RPC");
    assertThat(client(uri).call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void aMessageAboveTheLimitIsAnsweredAndBecomesADeadLetter() throws Exception {
    serve(uri, new Account(), Limits.builder().frameBytes(1_000).build());
    Peer client = client(uri);
    assertThatThrownBy(() -> client.call("add", int.class, 1, "x".repeat(2_000)))
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.TOO_LARGE));
    assertThat(next(raw(), queue + ".dead")
            .getProps()
            .getHeaders()
            .get("repartee-reason")
            .toString())
        .contains("frameBytes");
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void aReplyToNobodyIsReportedAndTheWorkerGoesOn() throws Exception {
    serve(uri, new Account());
    raw()
        .basicPublish(
            "",
            queue,
            new BasicProperties.Builder().replyTo("nobody").correlationId("7").build(),
            """
                {"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}""".getBytes(UTF_8));
    assertThat(report("a reply without a recipient")).contains("'nobody'");
    assertThat(client(uri).call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void aReplyWithoutACorrelationIdIsMatchedByItsJsonRpcId() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, Map.of());
    CallFuture<Integer> call = client(uri).callAsync("add", int.class, 1, 2);
    GetResponse request = next(raw, queue);
    byte[] answer = sum(id(request.getBody()), 3);
    raw.basicPublish("", request.getProps().getReplyTo(), null, answer);
    assertThat(call.get(LONG, TimeUnit.SECONDS)).isEqualTo(3);
  }

  @Test
  void aLateOrSecondReplyIsIgnored() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, Map.of());
    Peer client = client(uri);
    CallFuture<Integer> first = client.callAsync("add", int.class, 1, 2);
    GetResponse request = next(raw, queue);
    byte[] answer = sum(id(request.getBody()), 3);
    BasicProperties properties = new BasicProperties.Builder()
        .correlationId(request.getProps().getCorrelationId())
        .build();
    raw.basicPublish("", request.getProps().getReplyTo(), properties, answer);
    raw.basicPublish("", request.getProps().getReplyTo(), properties, answer);
    assertThat(first.get(LONG, TimeUnit.SECONDS)).isEqualTo(3);
    assertThat(reports).isEmpty();
  }

  @Test
  void aCallThatNobodyTakesTimesOutAndItsMessageExpires() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, Map.of());
    Peer client = client(uri);
    CallFuture<Integer> call =
        client.request("add").args(1, 2).timeout(Duration.ofMillis(300)).send(int.class);
    assertThatThrownBy(() -> call.get(LONG, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(CallTimeoutException.class);
    Account account = new Account();
    account.goOn.countDown();
    serve(uri, account);
    assertThat(client.call("balance", int.class)).isEqualTo(1);
  }

  // ---------------------------------------------------------------- losses

  @Test
  void aCallOfALostWorkerIsNotRunAgainUnlessItIsIdempotent() throws Exception {
    FaultProxy cable = cable();
    Account lost = new Account();
    Server first = serve(over(cable), lost);
    Peer client = client(uri);
    CallFuture<Integer> withdraw = client.callAsync("withdraw", int.class, 5);
    CallFuture<Integer> balance = client.callAsync("balance", int.class);
    assertThat(lost.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();
    assertThat(lost.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();

    Account second = new Account();
    second.goOn.countDown();
    serve(uri, second);
    cable.close(); // the first worker does not come back
    assertThatThrownBy(() -> withdraw.get(LONG, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(RemoteRpcException.class, e -> {
          assertThat(e.code()).isEqualTo(RpcError.OUTCOME_UNKNOWN);
          assertThat(e).hasMessageContaining("it may have run");
        });
    assertThat(balance.get(LONG, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(second.began).containsExactly("balance");
    assertThat(next(raw(), queue + ".dead")
            .getProps()
            .getHeaders()
            .get("repartee-reason")
            .toString())
        .contains("may have run");
    lost.goOn.countDown();
    first.close(Duration.ZERO);
  }

  @Test
  void aCallerThatDeclaresItsCallIdempotentHasItRunAgain() throws Exception {
    FaultProxy cable = cable();
    Account lost = new Account();
    serve(over(cable), lost);
    CallFuture<Integer> call =
        client(uri).request("withdraw").args(5).idempotent().send(int.class);
    assertThat(lost.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();
    Account second = new Account();
    second.goOn.countDown();
    serve(uri, second);
    cable.close();
    assertThat(call.get(LONG, TimeUnit.SECONDS)).isEqualTo(-5);
    lost.goOn.countDown();
  }

  @Test
  void aMessageThatEndsEveryWorkerIsNotTriedForEver() throws Exception {
    Channel raw = raw();
    raw.queueDeclare(queue, true, false, false, Map.of());
    raw.basicPublish(
        "",
        queue,
        new BasicProperties.Builder().headers(Map.of("repartee-attempts", 3)).build(),
        """
            {"jsonrpc":"2.0","method":"balance"}""".getBytes(UTF_8));
    GetResponse taken = raw.basicGet(queue, false);
    while (taken == null) {
      taken = raw.basicGet(queue, false);
    }
    raw.basicReject(taken.getEnvelope().getDeliveryTag(), true); // as if this worker was lost
    Account account = new Account();
    serve(uri, account);
    assertThat(next(raw(), queue + ".dead")
            .getProps()
            .getHeaders()
            .get("repartee-reason")
            .toString())
        .contains("Several workers were lost");
    assertThat(account.began).isEmpty();
  }

  @Test
  void aClientThatLosesTheBrokerFailsItsCallsAndSendsIdempotentOnesAgain() throws Exception {
    Account account = new Account();
    serve(uri, account);
    FaultProxy cable = cable();
    Peer client = client(over(cable));
    CallFuture<Integer> withdraw = client.callAsync("withdraw", int.class, 5);
    CallFuture<Integer> balance = client.request("balance").idempotent().send(int.class);
    assertThat(account.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();
    assertThat(account.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();
    cable.reset();
    assertThatThrownBy(() -> withdraw.get(LONG, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(DisconnectedException.class)
        .hasMessageContaining("the outcome is unknown");
    assertThat(account.began.poll(LONG, TimeUnit.SECONDS)).isEqualTo("balance");
    account.goOn.countDown();
    assertThat(balance.get(LONG, TimeUnit.SECONDS)).isPositive();
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void whileTheBrokerIsAwayCallsFailWithTheReason() throws Exception {
    serve(uri, new Account());
    FaultProxy cable = cable();
    Peer client = client(over(cable));
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
    cable.close();
    assertThatThrownBy(() -> {
          while (true) {
            client.call("add", int.class, 1, 2); // one may still be sent, with an unknown outcome
          }
        })
        .isInstanceOf(DisconnectedException.class)
        .hasMessageMatching("(?s).*(is unreachable|was lost before the answer).*");
  }

  @Test
  void clientAndWorkerSurviveARestartOfTheBroker() throws Exception {
    Account account = new Account();
    account.goOn.countDown();
    serve(uri, account);
    Peer client = client(uri);
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
    rabbit.server().kill();
    report("the connection to the broker was lost");
    CallFuture<Integer> balance =
        client.request("balance").idempotent().timeout(Duration.ofSeconds(100)).send(int.class);
    rabbit.server().start();
    assertThat(balance.get(100, TimeUnit.SECONDS)).isPositive();
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }

  // ---------------------------------------------------------------- other modules

  @Test
  void theConformanceCorpusPasses() throws Exception {
    closing(Repartee.listen(uri, new ExampleMethods().service()));
    Report report = Check.of(uri).timeout(Duration.ofSeconds(20)).run(verdict -> {});
    assertThat(report.failures(Level.MUST) + report.failures(Level.SHOULD))
        .as(report.table(false))
        .isZero();
    assertThat(report.summary()).contains("cases passed");
  }

  @Test
  void aBridgePassesCallsOnFromHttp() throws Exception {
    serve(uri, new Account());
    Server http = closing(closing(Bridge.to(uri).open()).listen("http://127.0.0.1:0/"));
    Peer client = client(http.endpoint().toString());
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }

  @Test
  void notMoreThanThePrefetchRunAtOnce() throws Exception {
    Account account = new Account();
    serve(uri + "#prefetch=2", account);
    Peer client = client(uri);
    List<CallFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(client.callAsync("balance", int.class));
    }
    assertThat(account.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();
    assertThat(account.began.poll(LONG, TimeUnit.SECONDS)).isNotNull();
    @Nullable Long waiting = null;
    Channel raw = raw();
    while (waiting == null || waiting != 3) {
      waiting = raw.messageCount(queue);
    }
    assertThat(account.began).isEmpty();
    account.goOn.countDown();
    for (CallFuture<Integer> call : calls) {
      assertThat(call.get(LONG, TimeUnit.SECONDS)).isBetween(1, 5);
    }
  }
}
