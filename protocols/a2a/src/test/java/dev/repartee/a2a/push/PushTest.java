package dev.repartee.a2a.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpRoutes;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.signing.SigningKey;
import dev.repartee.a2a.types.AuthenticationInfo;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections 3.1.7 to 3.1.10, 4.3.3 and 13.2 of the specification. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PushTest {
  private static final Options QUIET = Options.builder().listener(Listener.NONE).build();

  private final TestAgent agent = new TestAgent();
  private final BlockingQueue<HttpRequest> received = new LinkedBlockingQueue<>();

  /** The number of requests that the receiver still refuses. */
  private final AtomicInteger refusals = new AtomicInteger();

  private Server receiver;

  @BeforeEach
  void start() throws IOException {
    receiver = Repartee.listen(
        "http://127.0.0.1:0",
        HttpRoutes.builder()
            .at("/hook", (request, reply) -> {
              boolean refuses = refusals.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
              if (!refuses) {
                received.add(request);
              }
              reply.answer(refuses ? 503 : 204, Map.of(), new byte[0]);
            })
            .build());
  }

  @AfterEach
  void stop() {
    receiver.close(Duration.ZERO);
  }

  private PushNotifications.Builder settings() {
    return PushNotifications.builder().allowPrivateAddresses().attempts(3, Duration.ofMillis(1));
  }

  private Server listen(PushNotifications push, Options options) throws IOException {
    return A2aServer.builder(TestAgent.card().pushNotifications().build())
        .agent(agent)
        .push(push)
        .options(options)
        .build()
        .listen("http://127.0.0.1:0/");
  }

  private static Options reporting(BlockingQueue<String> violations) {
    return Options.builder()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            violations.add(violation);
          }
        })
        .build();
  }

  private TaskPushNotificationConfig hook() {
    return new TaskPushNotificationConfig(receiver.endpoint() + "hook").withToken("t-1");
  }

  private HttpRequest next() throws InterruptedException {
    HttpRequest request = received.poll(60, TimeUnit.SECONDS);
    assertThat(request).isNotNull();
    return request;
  }

  private static SendMessageRequest request(String text, TaskPushNotificationConfig to) {
    return new SendMessageRequest(Message.user(text))
        .withConfiguration(new SendMessageConfiguration().withTaskPushNotificationConfig(to));
  }

  private static A2aClient client(Server server, String version) {
    return A2aClient.builder().endpoint(server.endpoint().toString(), version);
  }

  @Test
  void theEventsOfATaskArriveInOrderWithTheCredentials() throws Exception {
    TaskPushNotificationConfig to = new TaskPushNotificationConfig(
        null, null, null, hook().url(), "t-1", new AuthenticationInfo("Basic", "abc"));
    refusals.set(2);
    try (Server server = listen(settings().build(), QUIET);
        A2aClient client = client(server, "1.0")) {
      client.send(request("work hard", to));
      for (String member : List.of("task", "statusUpdate", "artifactUpdate", "statusUpdate")) {
        HttpRequest notice = next();
        assertThat(notice.header("content-type")).isEqualTo("application/a2a+json");
        assertThat(notice.header("authorization")).isEqualTo("Basic abc");
        assertThat(notice.header("x-a2a-notification-token")).isEqualTo("t-1");
        assertThat(Json.parse(notice.body()).members()).containsOnlyKeys(member);
      }
    }
  }

  @Test
  void version03GetsTheTaskAtEachStatus() throws Exception {
    try (Server server = listen(settings().build(), QUIET);
        A2aClient client = client(server, "0.3")) {
      client.send(request("work hard", hook()));
      for (String state : List.of("submitted", "working", "completed")) {
        Json task = Json.parse(next().body());
        assertThat(task.get("kind")).isEqualTo(Json.of("task"));
        assertThat(task.get("status").get("state")).isEqualTo(Json.of(state));
      }
    }
  }

  @Test
  void aSignedNotificationCarriesATokenWithTheDigestOfItsBody() throws Exception {
    SigningKey key = SigningKey.of(
        "k-1", KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate());
    PushNotifications push = settings().signed(key, "https://agent.example.com").build();
    try (Server server = listen(push, QUIET);
        A2aClient client = client(server, "1.0")) {
      client.send(request("work hard", hook()));
      HttpRequest notice = next();
      String[] token =
          notice.header("authorization").substring("Bearer ".length()).split("\\.");
      Json claims = Json.parse(Base64.getUrlDecoder().decode(token[1]));
      assertThat(claims.get("iss")).isEqualTo(Json.of("https://agent.example.com"));
      String digest =
          HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(notice.body()));
      assertThat(claims.get("request_body_sha256")).isEqualTo(Json.of(digest));
    }
  }

  @Test
  void configurationsAreCreatedGotListedAndDeleted() throws Exception {
    for (String version : List.of("1.0", "0.3")) {
      try (Server server = listen(settings().build(), QUIET);
          A2aClient client = client(server, version)) {
        Task task = (Task) client.send(Message.user("ask"));
        TaskPushNotificationConfig made = client.createPushConfig(hook().withTaskId(task.id()));
        assertThat(made.id()).isNotNull();
        client.createPushConfig(hook().withTaskId(task.id()).withId("mine"));
        assertThat(client.pushConfig(task.id(), "mine").token()).isEqualTo("t-1");
        assertThat(client.pushConfigs(task.id())).hasSize(2);
        client.deletePushConfig(task.id(), "mine");
        client.deletePushConfig(task.id(), "mine");
        assertThat(client.pushConfigs(task.id()))
            .extracting(TaskPushNotificationConfig::id)
            .containsExactly(made.id());
        assertThatThrownBy(() -> client.createPushConfig(hook().withTaskId("none")))
            .isInstanceOfSatisfying(
                RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32001));
      }
    }
  }

  @Test
  void addressesOutsideOfThePublicInternetAreRefused() throws Exception {
    try (Server server = listen(PushNotifications.builder().build(), QUIET);
        A2aClient client = client(server, "1.0")) {
      for (String url : List.of(
          "http://127.0.0.1/x",
          "http://localhost/x",
          "http://10.1.2.3/x",
          "http://169.254.169.254/latest",
          "http://[::1]/x",
          "http://[::ffff:192.168.0.1]/x",
          "ftp://example.com/x",
          "no address")) {
        TaskPushNotificationConfig to = new TaskPushNotificationConfig(url);
        assertThatThrownBy(() -> client.send(request("work hard", to)))
            .as(url)
            .isInstanceOfSatisfying(
                RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32602));
      }
    }
  }

  @Test
  void aNotificationThatCannotBeDeliveredIsReported() throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    refusals.set(3);
    try (Server server = listen(settings().build(), reporting(violations));
        A2aClient client = client(server, "1.0")) {
      client.send(request("work hard", hook()));
      assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("after 3 attempts", "503");
      assertThat(Json.parse(next().body()).members()).containsOnlyKeys("statusUpdate");
    }
  }

  /** Accepts connections, sends the head of an answer or nothing, and never ends the answer. */
  private static final class Stalling implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();

    Stalling(String answer) throws IOException {
      Thread thread = new Thread(() -> {
        try {
          while (true) {
            Socket next = socket.accept();
            accepted.add(next);
            next.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
          }
        } catch (IOException e) {
          // closed
        }
      });
      thread.setDaemon(true);
      thread.start();
    }

    TaskPushNotificationConfig hook() {
      return new TaskPushNotificationConfig("http://127.0.0.1:" + socket.getLocalPort() + "/");
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket each : accepted) {
        each.close();
      }
    }
  }

  @Test
  void receiversThatNeverAnswerDoNotKeepTheOthersFromNotifications() throws Exception {
    PushNotifications push = settings().timeout(Duration.ofMinutes(5)).build();
    try (Stalling stalling = new Stalling("");
        Server server = listen(push, QUIET);
        A2aClient client = client(server, "1.0")) {
      for (int i = 0; i < 8; i++) {
        client.send(request("ask", stalling.hook()));
      }
      client.send(request("ask", hook()));
      assertThat(Json.parse(next().body()).members()).containsOnlyKeys("task");
    }
  }

  @Test
  void aClientWithASilentAddressLeavesRoomForOthers() throws Exception {
    PushNotifications push =
        settings().timeout(Duration.ofMinutes(5)).queued(16).build();
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    try (Stalling stalling = new Stalling("");
        Server server = A2aServer.builder(TestAgent.card().pushNotifications().build())
            .agent(agent)
            .authentication(call -> call.header("x-name"))
            .push(push)
            .options(reporting(violations))
            .build()
            .listen("http://127.0.0.1:0/");
        A2aClient mallory = client(server, "mallory", "1.0");
        A2aClient alice = client(server, "alice", "1.0")) {
      for (int i = 0; i < 20; i++) {
        mallory.send(request("ask", stalling.hook()));
      }
      alice.send(request("work hard", hook()));
      for (String member : List.of("task", "statusUpdate", "artifactUpdate", "statusUpdate")) {
        assertThat(Json.parse(next().body()).members()).containsOnlyKeys(member);
      }
      assertThat(violations).isNotEmpty();
    }
  }

  private static A2aClient client(Server server, String name, String version) {
    return A2aClient.builder()
        .header("x-name", name)
        .endpoint(server.endpoint().toString(), version);
  }

  @Test
  void aHostThatNeverAnswersIsDroppedWithItsQueue() throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    PushNotifications push = PushNotifications.builder()
        .allowPrivateAddresses()
        .attempts(100, Duration.ofMillis(1))
        .timeout(Duration.ofMillis(50))
        .build();
    try (Stalling stalling = new Stalling("");
        Server server = listen(push, reporting(violations));
        A2aClient client = client(server, "1.0")) {
      client.send(request("ask", stalling.hook()));
      assertThat(violations.poll(60, TimeUnit.SECONDS))
          .contains("has not answered several times in a row");
      client.send(request("ask", stalling.hook()));
      assertThat(violations.poll(60, TimeUnit.SECONDS))
          .contains("has not answered several times in a row");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"})
  void anAnswerWithoutAnEndIsGivenUp(String start) throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    PushNotifications push = settings().timeout(Duration.ofMillis(100)).build();
    try (Server server = listen(push, reporting(violations));
        A2aClient client = client(server, "1.0")) {
      String violation;
      do {
        // On a busy machine the last attempt may time out before it is connected. The port counts
        // as silent then and gets no further notification.
        try (Stalling stalling = new Stalling(start)) {
          Task task = (Task) client.send(request("ask", stalling.hook()));
          do {
            violation = violations.poll(60, TimeUnit.SECONDS);
            assertThat(violation).isNotNull();
          } while (!violation.contains(task.id()));
        }
      } while (violation.contains("connect timed out"));
      assertThat(violation).contains("does not finish its answer");
    }
  }

  @Test
  void anAddressThatCannotBeUsedIsReported() throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    try (Server server = listen(settings().build(), reporting(violations));
        A2aClient client = client(server, "1.0")) {
      client.send(request("ask", new TaskPushNotificationConfig("http://127.0.0.1:99999/")));
      assertThat(violations.poll(60, TimeUnit.SECONDS)).contains("was dropped");
    }
  }

  @Test
  void notificationsThatWaitForAReceiverHaveABoundedSize() throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    PushNotifications push = settings().timeout(Duration.ofMinutes(5)).build();
    try (Stalling stalling = new Stalling("");
        Server server = listen(push, reporting(violations));
        A2aClient client = client(server, "1.0")) {
      String text = "ask " + "x".repeat(1 << 20);
      for (int i = 0; i < 20; i++) {
        client.send(request(text, stalling.hook()));
      }
      assertThat(violations.poll(60, TimeUnit.SECONDS))
          .contains("the queue of push notifications is full");
    }
  }

  @Test
  void credentialsThatFitIntoNoHeaderAreNotTold() throws Exception {
    BlockingQueue<String> violations = new LinkedBlockingQueue<>();
    TaskPushNotificationConfig to = new TaskPushNotificationConfig(
        null, null, null, hook().url(), null, new AuthenticationInfo("Bearer", "s3cret\r\nX: 1"));
    try (Server server = listen(settings().build(), reporting(violations));
        A2aClient client = client(server, "1.0")) {
      client.send(request("ask", to));
      assertThat(violations.poll(60, TimeUnit.SECONDS))
          .contains("credentials")
          .doesNotContain("s3cret");
    }
  }
}
