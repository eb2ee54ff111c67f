package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.ParsedFrame;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each request is answered once, or its connection ends, no matter at which step the response fails. Each
 * scenario runs once for every step of its responses, and that step fails. A step is a call of the
 * outlet, the codec or the dialect.
 */
class LostAnswersTest {
  private static final ChannelInfo INFO = new ChannelInfo("test", "", "message");
  private static final Pattern ID = Pattern.compile("\"id\":([0-9]+)\\}");

  /** Counts the steps and fails at some of them. */
  private static final class Steps {
    private final int failing;
    private final boolean andLater;
    private final Supplier<Throwable> failure;
    int count;

    Steps(int failing, boolean andLater, Supplier<Throwable> failure) {
      this.failing = failing;
      this.andLater = andLater;
      this.failure = failure;
    }

    void next() {
      count++;
      if (count == failing || andLater && count > failing) {
        Throwable thrown = failure.get();
        if (thrown instanceof Error error) {
          throw error;
        }
        throw (RuntimeException) thrown;
      }
    }
  }

  /** A connection with steps that may fail. Responses count only until the connection ends. */
  private static final class Faulty implements FrameSink {
    final List<Integer> answered = new ArrayList<>();
    private final List<Integer> gathered = new ArrayList<>();
    private final Steps steps;
    boolean lost;

    Faulty(Steps steps) {
      this.steps = steps;
    }

    @Override
    public OutboundFrame open() {
      steps.next();
      return new OutboundFrame(Integer.MAX_VALUE);
    }

    @Override
    public void commit(OutboundFrame frame) {
      steps.next(); // the frame is not sent
      gathered.addAll(ids(frame));
      steps.next(); // the frame is among those that are sent
      flush();
    }

    @Override
    public void gather(OutboundFrame frame) {
      steps.next();
      gathered.addAll(ids(frame));
      steps.next();
    }

    @Override
    public void flush() {
      steps.next();
      leave();
    }

    void leave() {
      answered.addAll(gathered);
      gathered.clear();
    }

    @Override
    public void discard(OutboundFrame frame) {
      steps.next();
    }

    @Override
    public void abort(Throwable cause) {
      lost = true;
    }

    private static List<Integer> ids(OutboundFrame frame) {
      List<Integer> ids = new ArrayList<>();
      Matcher matcher = ID.matcher(frame.toString());
      while (matcher.find()) {
        ids.add(Integer.valueOf(matcher.group(1)));
      }
      return ids;
    }
  }

  /** A dialect and codec with steps that may fail. */
  private record FaultyDialect(Steps steps) implements Dialect, Codec {
    @Override
    public Codec codec() {
      return this;
    }

    @Override
    public @Nullable RpcError cancelledError() {
      steps.next();
      return Dialect.super.cancelledError();
    }

    @Override
    public RpcError busy(String limit, long max) {
      steps.next();
      return Dialect.super.busy(limit, max);
    }

    @Override
    public void decode(byte[] frame, int from, int to, ParsedFrame into) {
      steps.next();
      JsonRpc.STRICT.decode(frame, from, to, into);
    }

    @Override
    public void beginCall(JsonWriter out, long id, String method, boolean structured) {
      steps.next();
      JsonRpc.STRICT.beginCall(out, id, method, structured);
    }

    @Override
    public void endCall(JsonWriter out, long id) {
      steps.next();
      JsonRpc.STRICT.endCall(out, id);
    }

    @Override
    public void beginResult(JsonWriter out, byte[] bytes, int from, int to, String method) {
      steps.next();
      JsonRpc.STRICT.beginResult(out, bytes, from, to, method);
      steps.next();
    }

    @Override
    public void endResult(JsonWriter out, byte[] bytes, int from, int to) {
      steps.next();
      JsonRpc.STRICT.endResult(out, bytes, from, to);
      steps.next();
    }

    @Override
    public void error(
        JsonWriter out, byte[] bytes, int from, int to, @Nullable String method, RpcError error) {
      steps.next();
      JsonRpc.STRICT.error(out, bytes, from, to, method, error);
      steps.next();
    }
  }

  /** One method for each way of answering. */
  public static final class Methods {
    final List<CompletableFuture<Integer>> stages = new ArrayList<>();

    @Rpc
    public int whole() {
      return 1;
    }

    @Rpc
    public double half() {
      return 0.5;
    }

    @Rpc
    public float quarter() {
      return 0.25f;
    }

    @Rpc
    public double none() {
      return Double.NaN;
    }

    @Rpc
    public boolean truth() {
      return true;
    }

    @Rpc
    public void nothing() {}

    @Rpc
    public List<String> list() {
      return List.of("a", "b");
    }

    @Rpc
    public int fail() {
      throw new IllegalStateException("by design");
    }

    @Rpc
    public CompletionStage<Integer> now() {
      return CompletableFuture.completedFuture(1);
    }

    @Rpc
    public CompletionStage<Integer> later() {
      CompletableFuture<Integer> stage = new CompletableFuture<>();
      stages.add(stage);
      return stage;
    }

    @Rpc
    public int tells(Call call) {
      call.notify("told", List.of());
      return 1;
    }

    @Rpc(lane = Lane.INLINE)
    public int inline() {
      return 1;
    }

    @Rpc(lane = Lane.INLINE)
    public List<String> inlineList() {
      return List.of("a");
    }

    @Rpc(lane = Lane.INLINE)
    public int inlineSeen(Call call) {
      return 1;
    }
  }

  private static final String[] NAMES = {
    "whole",
    "half",
    "quarter",
    "none",
    "truth",
    "nothing",
    "list",
    "fail",
    "now",
    "later",
    "tells",
    "inline",
    "inlineList",
    "inlineSeen",
    "unknown",
    "handled"
  };

  private static String request(String method, int id) {
    return """
        {"jsonrpc":"2.0","method":"%s","id":%s}""".formatted(method, id);
  }

  /** The frames to receive, and the number of requests in them. */
  private record Scenario(String name, List<String> frames, int requests) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Scenario> scenarios() {
    List<Scenario> all = new ArrayList<>();
    for (String name : NAMES) {
      all.add(new Scenario(name, List.of(request(name, 1)), 1));
    }
    List<String> each = new ArrayList<>();
    for (int i = 0; i < NAMES.length; i++) {
      each.add(request(NAMES[i], i + 1));
    }
    all.add(new Scenario("a burst of all", each, each.size()));
    all.add(new Scenario("a batch of all", List.of(each.toString()), each.size()));
    String cancelled = """
        {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""";
    all.add(new Scenario("one that is cancelled", List.of(request("later", 1), cancelled), 1));
    all.add(new Scenario(
        "a batch with one that is cancelled",
        List.of("[" + request("later", 1) + "," + cancelled + "," + request("whole", 2) + "]"),
        2));
    String notification = """
        {"jsonrpc":"2.0","method":"later"}""";
    all.add(new Scenario(
        "calls behind a notification",
        List.of(notification, request("inline", 1), request("whole", 2), request("later", 3)),
        3));
    return all;
  }

  private record Run(Faulty outlet, Responder responder) {}

  /**
   * Serves the scenario on one thread, which plays the reader, the workers and the threads that
   * complete stages.
   */
  private static Run serve(Scenario scenario, Steps steps) {
    Faulty outlet = new Faulty(steps);
    Methods methods = new Methods();
    Service service = Service.of(methods)
        .and(Service.builder().method("handled", call -> "done").build());
    Queue<Runnable> workers = new ArrayDeque<>();
    Responder responder = new Responder(new Connection(
        new ServerContext(
            service, Options.builder().dialect(new FaultyDialect(steps)).build()),
        outlet,
        INFO,
        Attributes.NONE,
        workers::add,
        () -> {}));
    for (String text : scenario.frames()) {
      byte[] frame = text.getBytes(UTF_8);
      responder.serveAlone(frame, 0, frame.length);
    }
    while (!workers.isEmpty() || !methods.stages.isEmpty()) {
      for (Runnable next = workers.poll(); next != null; next = workers.poll()) {
        next.run();
      }
      List<CompletableFuture<Integer>> waiting = List.copyOf(methods.stages);
      methods.stages.clear();
      waiting.forEach(stage -> stage.complete(1));
    }
    outlet.leave(); // gathered frames are sent with the next frame at the latest
    return new Run(outlet, responder);
  }

  private static void everyStepFails(
      Scenario scenario, boolean andLater, Supplier<Throwable> failure) {
    int steps = 1;
    for (int failing = 1; failing <= steps; failing++) {
      Steps failed = new Steps(failing, andLater, failure);
      Run run = serve(scenario, failed);
      steps = Math.max(steps, failed.count);
      String where = "%s, step %s of %s".formatted(scenario, failing, steps);
      List<Integer> answered = run.outlet().answered;
      assertThat(answered).as(where).doesNotHaveDuplicates();
      if (!run.outlet().lost) {
        Set<Integer> ids = new TreeSet<>(answered);
        assertThat(ids).as(where).hasSize(scenario.requests());
      }
      assertThat(run.responder().connection().scheduler().running()).as(where).isZero();
      assertThat(run.responder().connection().scheduler().waiting()).as(where).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void whereOneStepFailsEachRequestIsAnsweredOnceOrTheConnectionEnds(Scenario scenario) {
    everyStepFails(scenario, false, () -> new OutOfMemoryError("by design"));
    everyStepFails(scenario, false, () -> new IllegalStateException("by design"));
    everyStepFails(scenario, false, () -> new LimitException("frameBytes", 1));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void whereAllFailsFromOneStepOnEachRequestIsAnsweredOnceOrTheConnectionEnds(Scenario scenario) {
    everyStepFails(scenario, true, () -> new OutOfMemoryError("by design"));
    everyStepFails(scenario, true, () -> new LimitException("frameBytes", 1));
  }

  @Test
  void whereAFrameCannotBeStartedOnceAResultBecomesAnErrorAndAnErrorEndsTheConnection()
      throws Exception {
    Set<String> failing = Set.of("fail", "unknown");
    for (String method : NAMES) {
      CompletableFuture<String> reply = new CompletableFuture<>();
      Methods methods = new Methods();
      byte[] frame = request(method, 1).getBytes(UTF_8);
      FrameSink outlet = new FrameSink() {
        private boolean failed;

        @Override
        public OutboundFrame open() {
          if (!failed) {
            failed = true;
            throw new OutOfMemoryError("by design");
          }
          return new OutboundFrame(Integer.MAX_VALUE);
        }

        @Override
        public void commit(OutboundFrame out) {
          reply.complete(out.toString());
        }

        @Override
        public void abort(Throwable cause) {
          reply.complete("ended");
        }
      };
      if (!method.equals("later")) {
        Service service = Service.of(methods)
            .and(Service.builder().method("handled", call -> "done").build());
        FrameResponder.of(service, Options.DEFAULT, INFO).serve(frame, 0, frame.length, outlet);
        String answer = reply.get(60, TimeUnit.SECONDS);
        if (failing.contains(method)) {
          assertThat(answer).as(method).isEqualTo("ended");
        } else {
          assertThat(answer).as(method).contains("-32603", "\"id\":1");
        }
      }
    }
  }

  // ---------------------------------------------------------------- results that just fit

  @ParameterizedTest
  @MethodSource("scenarios")
  void aResultThatFitsIsNotRefused(Scenario scenario) throws InterruptedException {
    if (scenario.requests() != 1 || scenario.frames().size() != 1) {
      return;
    }
    String answer = answer(scenario, Limits.DEFAULT.frameBytes());
    if (!answer.contains("\"result\"")) {
      return;
    }
    // The id is not counted: it was received in a frame within the limit.
    int needed = answer.indexOf(",\"id\"");
    assertThat(answer(scenario, needed)).isEqualTo(answer);
  }

  private static String answer(Scenario scenario, int frameBytes) throws InterruptedException {
    Service service = Service.of(new Methods());
    Options options =
        Options.builder().limits(limits -> limits.frameBytes(frameBytes)).build();
    if (scenario.name().equals("later")) {
      return "";
    }
    byte[] reply = FrameResponder.of(service, options, INFO)
        .respond(scenario.frames().get(0).getBytes(UTF_8));
    return new String(Objects.requireNonNull(reply), UTF_8);
  }

  // ---------------------------------------------------------------- without a connection

  @Test
  void theWaiterForAReplyThatCannotBeWrittenGetsAnException() {
    Steps steps = new Steps(2, true, () -> new OutOfMemoryError("by design"));
    Options options = Options.builder().dialect(new FaultyDialect(steps)).build();
    FrameResponder responder = FrameResponder.of(Service.of(new Methods()), options, INFO);
    assertThatThrownBy(() -> responder.respond(request("whole", 1).getBytes(UTF_8)))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(OutOfMemoryError.class);
  }
}
