package dev.repartee.agents.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.client.EventStream;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.server.MemoryTaskStore;
import dev.repartee.a2a.server.StoredTask;
import dev.repartee.a2a.server.TaskStore;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.agents.Agent;
import dev.repartee.agents.kinds.LocalAgent;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpService;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An answer over A2A counts only for a question that a client has received. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class A2aQuestionsTest {
  private static final String FIRST = "Harmless first?";
  private static final String SECOND = "Dangerous second?";

  private final Queue<String> agreed = new ConcurrentLinkedQueue<>();
  private final Semaphore asked = new Semaphore(0); // a permit for each question in the store
  private final Set<String> questions = ConcurrentHashMap.newKeySet(); // their message ids
  private final CountDownLatch between = new CountDownLatch(1); // before the second question
  private final CountDownLatch gone = new CountDownLatch(1); // a client has disconnected

  private final Agent agent = LocalAgent.named("asking")
      .skill("ask", task -> {
        for (String question : new String[] {FIRST, SECOND}) {
          if (!task.ask(null, question, null).toCompletableFuture().get().granted()) {
            return "refused";
          }
          agreed.add(question);
          between.await();
        }
        return "agreed";
      })
      .build();

  private final TaskStore store = new TaskStore() {
    private final TaskStore tasks = new MemoryTaskStore();

    @Override
    public @Nullable StoredTask find(String id) {
      return tasks.find(id);
    }

    @Override
    public boolean save(StoredTask changed) {
      boolean saved = tasks.save(changed);
      Message about = changed.task().status().message();
      if (changed.task().state() == TaskState.INPUT_REQUIRED
          && questions.add(Objects.requireNonNull(about).messageId())) {
        asked.release();
      }
      return saved;
    }

    @Override
    public ListTasksResponse list(Query query) {
      return tasks.list(query);
    }
  };

  private Server server;
  private A2aClient client;

  @BeforeEach
  void start() throws IOException {
    AgentCard card =
        AgentCard.builder("asking", "Asks", "1").streaming().pushNotifications().build();
    HttpService service = A2aServer.builder(card)
        .agent(new A2aTurns(new OpenTasks(agent)))
        .store(store)
        .push(PushNotifications.builder().allowPrivateAddresses().build())
        .build()
        .peers()
        .http("/");
    HttpRoutes watched = HttpRoutes.builder()
        .at("/", (request, reply) -> service.serve(request, watched(reply)))
        .build();
    server = Repartee.listen("http://127.0.0.1:0/", watched);
    client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0");
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  /** Returns a reply that reports the end of its connection after its owner. */
  private HttpReply watched(HttpReply reply) {
    return (HttpReply) Proxy.newProxyInstance(
        HttpReply.class.getClassLoader(),
        new Class<?>[] {HttpReply.class},
        (self, method, args) -> {
          if (method.getName().equals("onGone")) {
            Runnable action = (Runnable) args[0];
            reply.onGone(() -> {
              action.run();
              gone.countDown();
            });
            return null;
          }
          return method.invoke(reply, args);
        });
  }

  private static Message yes(Task task) {
    return Message.user("yes").continuing(task);
  }

  private static String question(Task task) {
    return Objects.requireNonNull(task.status().message()).text();
  }

  private Task begin() throws InterruptedException {
    Task task = (Task) client.send(Message.user("go"));
    assertThat(question(task)).isEqualTo(FIRST);
    asked();
    return task;
  }

  private void asked() throws InterruptedException {
    assertThat(asked.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Begins a task, and answers its first question without waiting for the second one. */
  private Task answerFirst(SendMessageConfiguration options) throws InterruptedException {
    between.countDown();
    Task task = begin();
    client.send(
        new SendMessageRequest(yes(task)).withConfiguration(options.withReturnImmediately(true)));
    asked();
    return task;
  }

  private void answerSecond(Task task) {
    assertThat(((Task) client.send(yes(task))).state()).isEqualTo(TaskState.COMPLETED);
    assertThat(agreed).containsExactly(FIRST, SECOND);
  }

  private void repeatFirst(Task task) {
    Task late = (Task) client.send(yes(task));
    assertThat(late.state()).isEqualTo(TaskState.INPUT_REQUIRED);
    assertThat(question(late)).isEqualTo(SECOND);
    assertThat(agreed).containsExactly(FIRST);
  }

  @Test
  void aRepeatedAnswerWithANewIdGetsTheQuestionThatNoClientHasReceived() throws Exception {
    Task task = answerFirst(new SendMessageConfiguration());
    repeatFirst(task);
    answerSecond(task);
  }

  @Test
  void aClientThatHasDisconnectedHasNotReceivedTheNextQuestion() throws Exception {
    Task task = begin();
    String body = """
        {"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1",\
        "role":"ROLE_USER","taskId":"%s","parts":[{"text":"yes"}]}}}""".formatted(task.id());
    try (RawConnection client = new RawConnection(server)) {
      client.send(RawConnection.post(body));
      while (agreed.isEmpty()) {
        Thread.onSpinWait();
      }
    }
    gone.await();
    between.countDown();
    asked();
    repeatFirst(task);
    answerSecond(task);
  }

  @Test
  void aTaskShowsItsQuestion() throws Exception {
    Task task = answerFirst(new SendMessageConfiguration());
    assertThat(question(client.task(task.id()))).isEqualTo(SECOND);
    answerSecond(task);
  }

  @Test
  void aListShowsTheQuestionsOfItsTasks() throws Exception {
    Task task = answerFirst(new SendMessageConfiguration());
    assertThat(client.tasks(new ListTasksRequest()).tasks()).hasSize(1);
    answerSecond(task);
  }

  @Test
  void aSubscriptionShowsTheQuestion() throws Exception {
    Task task = answerFirst(new SendMessageConfiguration());
    try (EventStream events = client.subscribe(task.id())) {
      assertThat(question((Task) events.next())).isEqualTo(SECOND);
      answerSecond(task);
    }
  }

  @Test
  void aStreamShowsTheNextQuestion() throws Exception {
    between.countDown();
    Task task = begin();
    try (EventStream events = client.stream(yes(task))) {
      assertThat(question((Task) events.last())).isEqualTo(SECOND);
    }
    answerSecond(task);
  }

  @Test
  void aPushNotificationShowsTheQuestionBeforeItsReceiverHasAnswered() throws Exception {
    CompletableFuture<HttpReply> notified = new CompletableFuture<>();
    HttpRoutes hook = HttpRoutes.builder()
        .at("/hook", (request, reply) -> {
          if (new String(request.body(), UTF_8).contains(SECOND)) {
            notified.complete(reply);
          } else {
            reply.answer(204, Map.of(), new byte[0]);
          }
        })
        .build();
    try (Server receiver = Repartee.listen("http://127.0.0.1:0", hook)) {
      Task task = answerFirst(new SendMessageConfiguration()
          .withTaskPushNotificationConfig(
              new TaskPushNotificationConfig(receiver.endpoint() + "hook")));
      HttpReply reply = notified.get(60, TimeUnit.SECONDS);
      answerSecond(task);
      reply.answer(204, Map.of(), new byte[0]);
    }
  }
}
