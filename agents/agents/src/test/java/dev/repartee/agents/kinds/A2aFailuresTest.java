package dev.repartee.agents.kinds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpRoutes;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents of A2A that send events without end, or end themselves during a task. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class A2aFailuresTest {
  @Test
  void aTaskFailsWhenTheEventsOfItsAgentExceedALimitThoughTheStreamDoesNotEnd() throws Exception {
    A2aServer endless = A2aServer.builder(
            AgentCard.builder("endless", "Talks", "1").streaming().build())
        .options(Options.builder().listener(Listener.NONE).build())
        .agent(turn -> {
          while (true) {
            turn.working("x".repeat(10_000));
          }
        })
        .build();
    Options small = Options.builder().limits(to -> to.frameBytes(50_000)).build();
    try (Server server = endless.listen("http://127.0.0.1:0/");
        Agent client = new AgentConnector(small, Duration.ofSeconds(60))
            .connect("e", "a2a+" + server.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      assertThatThrownBy(() -> output.get(60, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(ExecutionException.class, thrown -> {
            assertThat(Failure.of(thrown).kind()).isEqualTo(Failure.Kind.PROTOCOL);
          })
          .hasMessageContaining("4 times the limit frameBytes of 50000");
    }
  }

  @Test
  void aTaskWhoseAgentEndsDuringAQuestionMayHaveTakenEffect() throws Exception {
    A2aServer asking = A2aServer.builder(
            AgentCard.builder("asking", "Asks", "1").build())
        .agent(turn -> turn.requireInput("Go on?"))
        .build();
    try (Server server = asking.listen("http://127.0.0.1:0/");
        Agent client = new AgentConnector(Options.DEFAULT, Duration.ofSeconds(60))
            .connect("a", "a2a+" + server.endpoint())) {
      Task task = Task.of(null, Json.of("go")).withHuman(question -> {
        server.close(Duration.ZERO);
        return CompletableFuture.completedFuture(Answer.agreed(Json.of(Map.of("answer", "yes"))));
      });
      assertThatThrownBy(() -> client.run(task).get(60, TimeUnit.SECONDS))
          .satisfies(lost -> assertThat(Failure.of(lost).kind()).isEqualTo(Failure.Kind.LOST));
      assertThatThrownBy(() -> client.run(task).get(60, TimeUnit.SECONDS))
          .satisfies(
              absent -> assertThat(Failure.of(absent).kind()).isEqualTo(Failure.Kind.UNREACHABLE));
    }
  }

  /** Answers with a stream that begins with an artifact and does not end. */
  private static final class ArtifactFirst implements HttpService {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CompletableFuture<@Nullable String> cancelled = new CompletableFuture<>();

    @Override
    public void serve(HttpRequest request, HttpReply reply) {
      if (request.method().equals("GET")) {
        answer(reply, """
            {'name':'a','description':'Draws','version':'1','capabilities':{'streaming':true},
             'defaultInputModes':['text/plain'],'defaultOutputModes':['text/plain'],'skills':[],
             'supportedInterfaces':[{'url':'http://%s/','protocolBinding':'JSONRPC',
             'protocolVersion':'1.0'}]}""".formatted(request.header("host")));
        return;
      }
      Json call = Json.parse(request.body());
      Json id = call.get("id");
      if ("SendStreamingMessage".equals(call.string("method"))) {
        begun.countDown();
        reply.stream(Map.of());
        reply.send(HttpReply.Event.of(json("{'jsonrpc':'2.0','id':" + id
            + ",'result':{'artifactUpdate':{'taskId':'t','contextId':'c','artifact':"
            + "{'artifactId':'a','parts':[{'text':'x'}]}}}}")));
      } else {
        cancelled.complete(call.string("method") + " " + call.get("params").string("id"));
        answer(reply, "{'jsonrpc':'2.0','id':" + id + ",'error':{'code':-32001,'message':'-'}}");
      }
    }

    private static void answer(HttpReply reply, String text) {
      reply.answer(200, Map.of("content-type", "application/json"), json(text));
    }

    private static byte[] json(String text) {
      return text.replace('\'', '"').getBytes(UTF_8);
    }
  }

  @Test
  void aTaskThatIsKnownByItsArtifactsOnlyIsCancelledAtItsAgent() throws Exception {
    ArtifactFirst service = new ArtifactFirst();
    HttpRoutes routes = HttpRoutes.builder()
        .at("/", service)
        .at("/.well-known/agent-card.json", service)
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0", routes);
        Agent client = new AgentConnector(Options.DEFAULT, Duration.ofSeconds(60))
            .connect("a", "a2a+" + server.endpoint())) {
      CompletableFuture<Json> output = client.run(Task.of(null, Json.of("go")));
      assertThat(service.begun.await(60, TimeUnit.SECONDS)).isTrue();
      output.cancel(true);
      assertThat(service.cancelled.get(60, TimeUnit.SECONDS)).isEqualTo("CancelTask t");
    }
  }
}
