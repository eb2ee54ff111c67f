package dev.repartee.users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.json.Json;
import dev.repartee.transport.DisconnectedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Builds an application with Spring Boot from the modules of a release, as a user would, and calls
 * it with the command of the release. {@code .ci/dry-run-release FOLDER} makes both. Maven downloads
 * the libraries of Spring Boot that the local repository lacks.
 */
@Tag("ci")
@DisabledOnOs(OS.WINDOWS)
@EnabledIfSystemProperty(
    named = "repartee.release",
    matches = ".+",
    disabledReason = "-Drepartee.release names no folder of .ci/dry-run-release")
class SpringProjectTest {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final String COMMAND = Path.of(
          System.getProperty("repartee.release", ""), "one-dist", "repartee.jar")
      .toString();

  /** The calls that must have begun before an application under load is stopped. */
  private static final int LOAD = 200;

  private static final int HTTP_CALLERS = 8;
  private static final int WEB_SOCKET_CALLERS = 4;
  private static final int PATIENCE_SECONDS = 60;

  /** The exit code of a JVM that SIGTERM has ended. */
  private static final int TERMINATED = 128 + 15;

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir
  static Path temp;

  private static ReleasedModules modules;
  private static Path program;
  private static Application shared;

  @BeforeAll
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  static void buildAndStart() throws Exception {
    modules = ReleasedModules.unpack(temp.resolve("repository"));
    program = build(System.getProperty("repartee.spring-boot"));
    shared = Application.start(program);
  }

  /** Builds the application with a version of Spring Boot, and returns its jar. */
  private static Path build(String version) throws Exception {
    return modules
        .build("foreign-spring", "-Dspring-boot.version=" + version)
        .resolve("foreign-spring-" + version + ".jar");
  }

  @AfterAll
  static void end() {
    if (shared != null) {
      shared.close();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "    | subtract | [42, 23]  | 200 | 'result':19",
        "ann | open     | ['a box'] | 200 | 'result':'a box is open'",
        "bob | open     | ['a box'] | 403 | 'error':{'code':403,'message':'Forbidden'}",
        "    | open     | ['a box'] | 401 | 'error':{'code':401,'message':'Unauthorized'}",
        "    | order    | ['tea',2] | 200 | 'result':'2 tea'",
        "    | order    | ['tea',0] | 200 | 'error':{'code':-32602,'message':'Invalid params',"
            + "'data':[{'path':'count','message':'must be greater than 0'}]}",
      })
  void theAspectsOfABeanApplyToItsCalls(
      String user, String method, String params, int status, String answer) throws Exception {
    HttpResponse<String> response = post(shared, user, method, params.replace('\'', '"'));
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body())
        .isEqualTo(("{'jsonrpc':'2.0'," + answer + ",'id':1}").replace('\'', '"'));
  }

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void theOldestSpringBootServesTheSame() throws Exception {
    try (Application old =
            Application.start(build(System.getProperty("repartee.spring-boot.oldest")));
        Peer peer = Repartee.connect(old.uri("ws"))) {
      assertThat(post(old, "ann", "open", "[\"a box\"]").statusCode()).isEqualTo(200);
      assertThat(post(old, "bob", "open", "[\"a box\"]").statusCode()).isEqualTo(403);
      assertThat(post(old, null, "order", "[\"tea\",0]").body()).contains("-32602");
      assertThat(peer.call("subtract", Integer.class, 42, 23)).isEqualTo(19);
    }
  }

  @Test
  void theCommandCallsOverWebSocket() throws Exception {
    assertThat(run("call", shared.uri("ws"), "subtract", "42", "23")).isEqualTo("19\n");
  }

  @Test
  void theCallsAreMeasured() throws Exception {
    post(shared, null, "subtract", "[42, 23]");
    URI metric = shared.at("/actuator/metrics/rpc.server.call.duration?tag=rpc.method:subtract");
    HttpResponse<String> response =
        CLIENT.send(HttpRequest.newBuilder(metric).build(), BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    Json count = Json.parse(response.body()).get("measurements").elements().get(0);
    assertThat(count.get("statistic").text()).isEqualTo("COUNT");
    assertThat(count.get("value").as(double.class)).isPositive();
  }

  /** Tomcat does not show a length beside chunks to a servlet: see docs/servlet.md. */
  @ParameterizedTest
  @CsvSource({"http, http: a length beside chunks is refused", "ws,"})
  void everyCaseOfTheCheckPasses(String scheme, String documented) throws Exception {
    String report = run("check", shared.uri(scheme), "--timeout", "60s", "--format", "json");
    List<Json> cases = Json.parse(report).get("cases").elements();
    assertThat(cases)
        .filteredOn(each -> each.get("outcome").text().equals("FAILED"))
        .extracting(each -> each.get("group").text() + ": " + each.get("name").text())
        .isEqualTo(documented == null ? List.of() : List.of(documented));
  }

  /**
   * A call that the application refuses, or that meets a closed connection, has not begun: its
   * caller may repeat it elsewhere. The load includes requests on connections that were kept, and
   * connections that the kernel has accepted and Tomcat has not.
   */
  @Test
  @Timeout(2 * PATIENCE_SECONDS)
  void everyCallThatHasBegunIsAnsweredAfterSigterm() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Application ended = Application.start(program);
        Peer peer = Repartee.connect(ended.uri("ws"))) {
      AtomicInteger numbers = new AtomicInteger();
      List<Future<List<Integer>>> callers = new ArrayList<>();
      for (int i = 0; i < HTTP_CALLERS; i++) {
        callers.add(threads.submit(callUntilTheEnd(numbers, number -> answers(ended, number))));
      }
      for (int i = 0; i < WEB_SOCKET_CALLERS; i++) {
        callers.add(threads.submit(callUntilTheEnd(numbers, number -> answers(peer, number))));
      }
      ended.underLoad.await();
      ended.process.toHandle().destroy(); // Process.destroy would close the output, too
      assertThat(ended.process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(ended.process.exitValue()).isEqualTo(TERMINATED);
      List<Integer> answered = new ArrayList<>();
      for (Future<List<Integer>> caller : callers) {
        assertThat(caller.get()).isNotEmpty();
        answered.addAll(caller.get());
      }
      ended.log.join();
      assertThat(ended.begun).containsExactlyInAnyOrderElementsOf(answered);
    } finally {
      threads.shutdownNow();
    }
  }

  /** A kind of call with a number. */
  private interface Caller {
    /**
     * Calls, and returns whether there is a result.
     *
     * @throws ConnectException if the application has ended, over HTTP
     * @throws DisconnectedException the same, over WebSocket
     */
    boolean answers(int number) throws Exception;
  }

  /** Returns a task that calls until the application has ended, and returns the answered calls. */
  private static Callable<List<Integer>> callUntilTheEnd(AtomicInteger numbers, Caller caller) {
    return () -> {
      List<Integer> answered = new ArrayList<>();
      try {
        while (true) {
          int number = numbers.incrementAndGet();
          if (caller.answers(number)) {
            answered.add(number);
          }
        }
      } catch (ConnectException | DisconnectedException e) {
        return answered;
      }
    };
  }

  private static boolean answers(Application application, int number) throws Exception {
    HttpResponse<String> response;
    try {
      response = post(application, null, "work", "[" + number + "]");
    } catch (ConnectException e) {
      throw e;
    } catch (IOException e) {
      return false; // the connection was closed before there was an answer
    }
    if (response.statusCode() == 503) {
      return false;
    }
    assertThat(response.body()).contains("\"result\":" + number + ",");
    return true;
  }

  private static boolean answers(Peer peer, int number) {
    try {
      assertThat(peer.call("work", Integer.class, number)).isEqualTo(number);
      return true;
    } catch (RemoteRpcException e) {
      assertThat(e.code()).isEqualTo(-32000); // busy
      return false;
    }
  }

  private static HttpResponse<String> post(
      Application application, String user, String method, String params) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(application.at("/rpc"))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method
            + "\",\"params\":" + params + "}"));
    if (user != null) {
      String login = Base64.getEncoder().encodeToString((user + ":" + user).getBytes(UTF_8));
      request.header("Authorization", "Basic " + login);
    }
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  /** Returns a command that runs a jar. */
  private static List<String> java(String jar, String... words) {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(List.of(ReleasedModules.QUICK_START.split(" ")));
    command.addAll(List.of("-jar", jar));
    command.addAll(List.of(words));
    return command;
  }

  /** Runs the command of the release, and returns its standard output. */
  private static String run(String... words) throws Exception {
    List<String> command = java(COMMAND, words);
    Process process = new ProcessBuilder(command)
        .redirectError(temp.resolve("errors").toFile())
        .start();
    try {
      process.getOutputStream().close();
      return new String(process.getInputStream().readAllBytes(), UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }

  /** A process of the application. */
  private static final class Application implements AutoCloseable {
    private static final String STARTED = "Tomcat started on port ";
    private static final String BEGIN = "begin ";

    final Process process;

    /** The thread that reads the output. */
    final Thread log;

    final CountDownLatch underLoad = new CountDownLatch(LOAD);

    /** The numbers of the calls that have begun, complete when the log has ended. */
    final Queue<Integer> begun = new ConcurrentLinkedQueue<>();

    private final int port;

    /** Starts an application on a free port. */
    static Application start(Path program) throws Exception {
      Process process = new ProcessBuilder(java(program.toString(), "--server.port=0"))
          .redirectErrorStream(true)
          .start();
      try {
        return new Application(process);
      } catch (Exception | AssertionError e) {
        process.destroyForcibly();
        throw e;
      }
    }

    private Application(Process process) throws Exception {
      this.process = process;
      BufferedReader output = process.inputReader(UTF_8);
      StringBuilder said = new StringBuilder();
      String line;
      do {
        line = output.readLine();
        assertThat(line).as(said.toString()).isNotNull();
        said.append(line).append('\n');
      } while (!line.contains(STARTED));
      String behind = line.substring(line.indexOf(STARTED) + STARTED.length());
      port = Integer.parseInt(behind.substring(0, behind.indexOf(' ')));
      log = new Thread(() -> output.lines().forEach(this::read), "log");
      log.setDaemon(true);
      log.start();
    }

    private void read(String line) {
      if (line.startsWith(BEGIN)) {
        begun.add(Integer.valueOf(line.substring(BEGIN.length())));
        underLoad.countDown();
      }
    }

    URI at(String path) {
      return URI.create("http://127.0.0.1:" + port + path);
    }

    String uri(String scheme) {
      return scheme + "://127.0.0.1:" + port + "/rpc";
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
