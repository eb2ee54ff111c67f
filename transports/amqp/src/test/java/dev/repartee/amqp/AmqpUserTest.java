package dev.repartee.amqp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The user of the broker as the proof of a caller, also in copies of a message. */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AmqpUserTest extends Fixture {
  private static final String OWN_ACCOUNT = "#account=workers";
  private static final Map<String, Object> FORGED =
      Map.of("repartee-user", "admin".getBytes(UTF_8));
  private static final Map<String, Object> NONE = Map.of();

  private Channel worker;
  private Channel alice;

  /** The methods of the service. */
  public static final class Methods {
    @Rpc(idempotent = true)
    public String who(Call call) {
      return String.valueOf(call.principal() == null ? null : call.principal().name());
    }
  }

  @BeforeAll
  static void addAlice() throws Exception {
    Rabbit.shared().server().addUser("alice");
  }

  @BeforeEach
  void queue() throws Exception {
    worker = raw();
    worker.queueDeclare(queue, true, false, false, Map.of());
    ConnectionFactory factory = new ConnectionFactory();
    factory.setPort(rabbit.port());
    factory.setUsername("alice");
    factory.setPassword("alice");
    Connection connection = factory.newConnection();
    closing(connection::abort);
    alice = connection.createChannel();
  }

  /** Starts a worker with the account guest, and returns its answer to the only message. */
  private String answer(String options, Channel client, String replies) throws Exception {
    Options guarded = Options.builder()
        .access(access -> access.authenticator(credentials -> {
          AmqpUser user = credentials.attributes().get(AmqpUser.ATTRIBUTE);
          return CompletableFuture.<@Nullable Principal>completedFuture(
              user == null ? null : new Principal(user.name(), Set.of(), Set.of(), "broker"));
        }))
        .build();
    closing(Repartee.listen(rabbit.uri(queue) + options, Service.of(new Methods()), guarded));
    return new String(next(client, replies).getBody(), UTF_8);
  }

  /** Sends a request; returns the queue of the reply. */
  private String send(Channel client, @Nullable String user, Map<String, Object> headers)
      throws Exception {
    String replies = client.queueDeclare().getQueue();
    BasicProperties properties = new BasicProperties.Builder()
        .headers(headers)
        .userId(user)
        .replyTo(replies)
        .correlationId("1")
        .build();
    client.basicPublish("", queue, properties, """
        {"jsonrpc":"2.0","id":1,"method":"who"}""".getBytes(UTF_8));
    return replies;
  }

  /** Takes the message from the queue and returns it, as the broker does for a lost worker. */
  private void loseAWorker() throws Exception {
    GetResponse taken = worker.basicGet(queue, false);
    while (taken == null) {
      taken = worker.basicGet(queue, false);
    }
    worker.basicReject(taken.getEnvelope().getDeliveryTag(), true);
  }

  @Test
  void theUserOfTheBrokerIsTheProof() throws Exception {
    assertThat(answer("", alice, send(alice, "alice", NONE))).contains("\"result\":\"alice\"");
  }

  @Test
  void aMessageOfALostWorkerKeepsItsUserIfTheWorkersHaveTheirOwnAccount() throws Exception {
    String replies = send(alice, "alice", NONE);
    loseAWorker();
    assertThat(answer(OWN_ACCOUNT, alice, replies)).contains("\"result\":\"alice\"");
  }

  @Test
  void aCopyOfACopyKeepsTheUser() throws Exception {
    String replies = worker.queueDeclare().getQueue();
    BasicProperties copy = new BasicProperties.Builder()
        .headers(Map.of("repartee-user", "alice".getBytes(UTF_8), "repartee-attempts", 1))
        .userId("guest")
        .replyTo(replies)
        .build();
    worker.basicPublish("", queue, copy, """
        {"jsonrpc":"2.0","id":1,"method":"who"}""".getBytes(UTF_8));
    loseAWorker();
    assertThat(answer(OWN_ACCOUNT, worker, replies)).contains("\"result\":\"alice\"");
  }

  @Test
  void otherwiseAMessageOfALostWorkerHasNoUser() throws Exception {
    String replies = send(alice, "alice", NONE);
    loseAWorker();
    assertThat(answer("", alice, replies)).contains("\"code\":401");
  }

  @Test
  void aClientCannotForgeTheUserOfACopy() throws Exception {
    assertThat(answer(OWN_ACCOUNT, alice, send(alice, "alice", FORGED)))
        .contains("\"result\":\"alice\"");
  }

  @Test
  void aCopyOfAForgedMessageHasTheUserWhoHasSentIt() throws Exception {
    String replies = send(alice, "alice", FORGED);
    loseAWorker();
    assertThat(answer(OWN_ACCOUNT, alice, replies)).contains("\"result\":\"alice\"");
  }

  @Test
  void aCopyOfAForgedMessageWithoutAUserHasNoUser() throws Exception {
    String replies = send(alice, null, FORGED);
    loseAWorker();
    assertThat(answer(OWN_ACCOUNT, alice, replies)).contains("\"code\":401");
  }

  @Test
  void aClientWithTheAccountOfAWorkerCannotForgeTheUserWithoutTheOption() throws Exception {
    assertThat(answer("", worker, send(worker, "guest", FORGED))).contains("\"code\":401");
  }

  @Test
  void theBrokerRefusesTheUserOfAnother() throws Exception {
    send(alice, "guest", FORGED);
    assertThatThrownBy(() -> alice.basicGet(queue, true)).hasStackTraceContaining("user_id");
  }

  @Test
  void anotherValueOfTheOptionIsRefused() {
    assertThatThrownBy(
            () -> Repartee.listen(rabbit.uri(queue) + "#account=guest", Service.of(new Methods())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("give account=workers");
  }
}
