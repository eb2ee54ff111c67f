package dev.repartee.acp.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The REST form, version 0.2.0. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private Server server;
  private String base;

  static RunServer runs(CompletableFuture<Void> released) {
    return RunServer.builder()
        .agent(AgentManifest.of("echo", "Repeats"), run -> {
          run.send(run.history().size() + " ");
          run.send(run.text());
        })
        .agent(AgentManifest.of("ask", "Asks"), run -> {
          run.send("before");
          RunMessage answer =
              run.await(RunMessage.of("agent/ask", List.of(MessagePart.text("name?"))));
          run.send("hello " + answer.text());
        })
        .agent(AgentManifest.of("fail", "Fails"), run -> {
          throw new IllegalStateException("the password is 1234");
        })
        .agent(AgentManifest.of("slow", "Waits"), run -> {
          run.send("started");
          released.join();
          run.throwIfCancelled();
        })
        .build();
  }

  @BeforeEach
  void listen() throws IOException {
    server = runs(released).listen("http://127.0.0.1:0/");
    base = server.endpoint().bare().toString().replaceFirst("/$", "");
  }

  @AfterEach
  void close() {
    released.complete(null);
    server.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(URI.create(base + path)).build(), BodyHandlers.ofString());
  }

  private static HttpRequest request(String uri, String body) {
    return HttpRequest.newBuilder(URI.create(uri))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body.replace('\'', '"')))
        .build();
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return CLIENT.send(request(base + path, body), BodyHandlers.ofString());
  }

  private static String body(String agent, String mode) {
    return "{'agent_name':'" + agent + "','mode':'" + mode + "','session_id':null,'session':null,"
        + "'input':[{'role':'user','parts':[{'content_type':'text/plain','content':'hi',"
        + "'content_encoding':'plain','content_url':null,'metadata':null}]}]}";
  }

  private static Json at(HttpResponse<String> response, String... path) {
    Json value = Json.parse(response.body());
    for (String name : path) {
      value = Objects.requireNonNull(value.get(name), () -> name + " in " + response.body());
    }
    return value;
  }

  private static String text(Json run) {
    return run.as(Run.class).output().stream().map(RunMessage::text).reduce("", String::concat);
  }

  @Test
  void agentsAreListedByPage() throws Exception {
    assertThat(get("/ping").statusCode()).isEqualTo(200);
    assertThat(at(get("/agents"), "agents").elements()).hasSize(4);
    assertThat(at(get("/agents?limit=1&offset=1"), "agents").toString()).contains("\"ask\"");
    assertThat(at(get("/agents/echo"), "input_content_types")).hasToString("[\"*/*\"]");
    assertThat(get("/agents/none").statusCode()).isEqualTo(404);
    assertThat(get("/agents?limit=x").statusCode()).isEqualTo(422);
  }

  @Test
  void aSyncRunIsAnsweredWhenItIsCompleted() throws Exception {
    HttpResponse<String> answer = post("/runs", body("echo", "sync"));

    assertThat(answer.statusCode()).isEqualTo(200);
    Run run = Json.parse(answer.body()).as(Run.class);
    assertThat(run.status()).isEqualTo("completed");
    assertThat(answer.headers().firstValue("Run-ID")).contains(run.runId());
    assertThat(text(Json.parse(answer.body()))).isEqualTo("0 hi");
    assertThat(run.output().get(0).role()).isEqualTo("agent/echo");
    assertThat(get("/runs/" + run.runId()).body()).isEqualTo(answer.body());
  }

  @Test
  void anAsyncRunIsAnsweredAtOnceAndAskedForLater() throws Exception {
    HttpResponse<String> answer = post("/runs", body("slow", "async"));
    assertThat(answer.statusCode()).isEqualTo(202);
    String id = at(answer, "run_id").as(String.class);

    released.complete(null);

    while (!Json.parse(get("/runs/" + id).body()).as(Run.class).hasEnded()) {
      Thread.onSpinWait();
    }
    assertThat(at(get("/runs/" + id), "status")).isEqualTo(Json.of("completed"));
    assertThat(types(at(get("/runs/" + id + "/events"), "events").elements().stream()))
        .containsExactly(
            "run.created",
            "run.in-progress",
            "message.created",
            "message.part",
            "message.completed",
            "run.completed");
  }

  private static List<String> types(Stream<Json> events) {
    return events.map(each -> each.get("type").as(String.class)).toList();
  }

  private List<Json> stream(String path, String body) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(request(base + path, body), (name, value) -> true)
        .header("Accept", "text/event-stream")
        .build();
    HttpResponse<Stream<String>> response = CLIENT.send(request, BodyHandlers.ofLines());
    assertThat(response.headers().firstValue("content-type").orElse(""))
        .startsWith("text/event-stream");
    return response
        .body()
        .filter(each -> each.startsWith("data:"))
        .map(each -> Json.parse(each.substring("data:".length())))
        .toList();
  }

  @Test
  void aStreamedRunIsAStreamOfEvents() throws Exception {
    List<Json> events = stream("/runs", body("echo", "stream"));

    assertThat(types(events.stream()))
        .containsExactly(
            "run.created",
            "run.in-progress",
            "message.created",
            "message.part",
            "message.part",
            "message.completed",
            "run.completed");
    assertThat(events.get(4).get("part").get("content")).isEqualTo(Json.of("hi"));
    assertThat(text(events.get(6).get("run"))).isEqualTo("0 hi");
  }

  @Test
  void aRunThatAwaitsIsResumed() throws Exception {
    Json waiting = Json.parse(post("/runs", body("ask", "sync")).body());
    String id = waiting.get("run_id").as(String.class);
    assertThat(waiting.get("status")).isEqualTo(Json.of("awaiting"));
    assertThat(waiting.get("await_request").as(AwaitRequest.class).message().text())
        .isEqualTo("name?");
    String resume = "{'run_id':'" + id + "','mode':'stream','await_resume':{'type':'message',"
        + "'message':{'role':'user','parts':[{'content_type':'text/plain','content':'Ann'}]}}}";

    List<Json> events = stream("/runs/" + id, resume);

    assertThat(types(events.stream()))
        .containsExactly(
            "run.in-progress",
            "message.created",
            "message.part",
            "message.completed",
            "run.completed");
    assertThat(text(events.get(4).get("run"))).isEqualTo("beforehello Ann");
    assertThat(post("/runs/" + id, resume).statusCode()).isEqualTo(403);
  }

  @Test
  void aRunIsCancelledAlsoWhileItAwaits() throws Exception {
    String id = at(post("/runs", body("ask", "sync")), "run_id").as(String.class);

    HttpResponse<String> answer = post("/runs/" + id + "/cancel", "");

    assertThat(answer.statusCode()).isEqualTo(202);
    while (!Json.parse(get("/runs/" + id).body()).as(Run.class).hasEnded()) {
      Thread.onSpinWait();
    }
    assertThat(at(get("/runs/" + id), "status")).isEqualTo(Json.of("cancelled"));
    assertThat(post("/runs/" + id + "/cancel", "").statusCode()).isEqualTo(403);
  }

  @Test
  void aFailureKeepsItsDetails() throws Exception {
    HttpResponse<String> answer = post("/runs", body("fail", "sync"));

    assertThat(at(answer, "status")).isEqualTo(Json.of("failed"));
    assertThat(at(answer, "error"))
        .hasToString("{\"code\":\"server_error\",\"message\":\"the agent has failed\"}");
  }

  @Test
  void aSessionKeepsTheMessagesOfItsRuns() throws Exception {
    String first = body("echo", "sync").replace("'session_id':null", "'session_id':'s1'");
    post("/runs", first);

    assertThat(text(Json.parse(post("/runs", first).body()))).isEqualTo("2 hi");
    List<Json> history = at(get("/session/s1"), "history").elements();
    assertThat(history).hasSize(4);
    String resource = history.get(1).as(String.class);
    assertThat(get(resource.substring(base.length())).body()).contains("agent/echo");
    assertThat(get("/session/none").statusCode()).isEqualTo(404);
  }

  @Test
  void wrongRequestsGetAnErrorObject() throws Exception {
    assertThat(at(post("/runs", body("none", "sync")), "code")).isEqualTo(Json.of("not_found"));
    assertThat(post("/runs", body("echo", "fast")).statusCode()).isEqualTo(422);
    assertThat(post("/runs", "{'agent_name':'echo','input':[]}").statusCode()).isEqualTo(422);
    assertThat(at(post("/runs", "{'input':"), "code")).isEqualTo(Json.of("invalid_input"));
    assertThat(get("/runs/none").statusCode()).isEqualTo(404);
    assertThat(get("/other").statusCode()).isEqualTo(404);
  }
}
