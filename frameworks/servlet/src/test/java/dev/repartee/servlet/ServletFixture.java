package dev.repartee.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpRequest;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/** A servlet with the methods of the tests, in a container of each kind. */
@NullMarked
@Timeout(180)
abstract class ServletFixture {
  static final String EVENTS = "Accept: text/event-stream";
  static final String SUBTRACT = call("subtract", "[42,23]");
  private static final Attribute<String> TENANT = Attribute.named("tenant");

  /** The context of a framework, which a filter sets. */
  private static final ThreadLocal<@Nullable String> CONTEXT = new ThreadLocal<>();

  @Parameter
  @SuppressWarnings("NullAway.Init")
  Container.Kind kind;

  Container.Settings settings = Container.Settings.DEFAULT;
  final Methods methods = new Methods();

  @Nullable Container container;

  private @Nullable RpcServlet servlet;

  /** The methods of the tests. */
  @SuppressWarnings("unused")
  public static final class Methods {
    final CountDownLatch waiting = new CountDownLatch(1);
    final CountDownLatch bothWait = new CountDownLatch(2);
    final CountDownLatch released = new CountDownLatch(1);
    final CountDownLatch cancelled = new CountDownLatch(1);
    final AtomicInteger reported = new AtomicInteger();
    final CompletableFuture<String> later = new CompletableFuture<>();

    public int subtract(int a, int b) {
      return a - b;
    }

    public Json echo(Json value) {
      return value;
    }

    public @Nullable String context() {
      return CONTEXT.get();
    }

    public CompletableFuture<String> later() {
      waiting.countDown();
      bothWait.countDown();
      return later;
    }

    public CompletableFuture<Integer> soon(int spins) {
      return CompletableFuture.supplyAsync(() -> {
        for (int i = 0; i < spins; i++) {
          Thread.onSpinWait();
        }
        return spins;
      });
    }

    public String await(Call call) throws InterruptedException {
      call.cancellation().onCancel(() -> {
        cancelled.countDown();
        released.countDown();
      });
      waiting.countDown();
      bothWait.countDown();
      released.await();
      return "released";
    }

    public String countdown(int from, Call call) {
      for (int i = from; i > 0; i--) {
        call.progress(i);
      }
      return "liftoff";
    }

    public void flood(Call call) {
      call.cancellation().onCancel(cancelled::countDown);
      String kilobyte = "x".repeat(1_000);
      while (!call.cancellation().isCancelled()) {
        call.progress(kilobyte);
        reported.incrementAndGet();
      }
    }

    public String user(Call call) {
      Principal user = call.attributes().get(RpcServlet.PRINCIPAL);
      Predicate<String> roles = call.attributes().get(RpcServlet.ROLES);
      return (user == null ? "nobody" : user.getName()) + " "
          + (roles != null && roles.test("admin"));
    }

    public CompletableFuture<String> laterUser(Call call) {
      waiting.countDown();
      return later.thenApply(done -> user(call));
    }

    public String certificate(Call call) {
      List<X509Certificate> chain = call.attributes().get(Channel.PEER_CERTIFICATES);
      return (chain == null ? "none" : chain.get(0).getSubjectX500Principal().getName()) + " over "
          + call.channel().transport();
    }

    public String facts(Call call) {
      Attributes facts = call.attributes();
      Map<String, String> headers = facts.get(HttpRequest.HEADERS);
      return facts.get(TENANT) + " " + facts.get(HttpRequest.QUERY) + " "
          + (headers == null ? null : headers.get("x-COLOR")) + " "
          + (facts.get(Channel.REMOTE_ADDRESS) != null) + " " + call.channel().transport();
    }

    public int ask(Call call) {
      return call.peer().call("answer", int.class);
    }
  }

  static String call(String method, String params) {
    return """
        {"jsonrpc":"2.0","method":"%s","params":%s,"id":1}""".formatted(method, params);
  }

  static String result(String json) {
    return """
        {"jsonrpc":"2.0","result":%s,"id":1}""".formatted(json);
  }

  // ---------------------------------------------------------------- the container

  RawConnection serve() throws Exception {
    return serve(Options.DEFAULT);
  }

  RawConnection serve(Options options) throws Exception {
    return serve(RpcServlet.builder().service(Service.of(methods)).options(options));
  }

  RawConnection serve(RpcServlet.Builder builder) throws Exception {
    start(new RpcServlet(builder.attributes(
        request -> Attributes.of(TENANT, String.valueOf(request.getHeader("x-tenant"))))));
    return raw();
  }

  void start(RpcServlet started) throws Exception {
    start(started, login());
  }

  void start(RpcServlet started, Filter before) throws Exception {
    servlet = started;
    container = kind.start(settings, context -> {
      FilterRegistration.Dynamic filter = context.addFilter("before", before);
      filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
      filter.setAsyncSupported(true);
      ServletRegistration.Dynamic rpc = context.addServlet("rpc", started);
      rpc.addMapping("/*");
      rpc.setAsyncSupported(true);
      rpc.setLoadOnStartup(1);
    });
  }

  /** Logs the user of the header {@code x-user} in, and sets the context of the thread. */
  private static Filter login() {
    return (request, response, next) -> {
      HttpServletRequest http = (HttpServletRequest) request;
      String name = http.getHeader("x-user");
      CONTEXT.set(name);
      try {
        next.doFilter(name == null ? http : new User(http, name), response);
      } finally {
        CONTEXT.remove();
      }
    };
  }

  private static final class User extends HttpServletRequestWrapper {
    private final String name;

    User(HttpServletRequest request, String name) {
      super(request);
      this.name = name;
    }

    @Override
    public Principal getUserPrincipal() {
      return () -> name;
    }

    @Override
    public boolean isUserInRole(String role) {
      return name.equals(role);
    }
  }

  RawConnection raw() throws Exception {
    return new RawConnection(uri("http"));
  }

  String uri(String scheme) {
    Container running = container;
    assertThat(running).isNotNull();
    return scheme + "://127.0.0.1:" + running.port() + "/";
  }

  @AfterEach
  void stop() throws Exception {
    methods.released.countDown();
    if (container != null) {
      container.close();
    }
  }

  /** Cancels a call that runs, and checks that its handler is cancelled. */
  void assertThatACallIsCancelled(Peer peer) throws InterruptedException {
    CallFuture<String> call = peer.callAsync("await", String.class);
    assertThat(happens(methods.waiting)).isTrue();
    call.cancel(true);
    assertThat(happens(methods.cancelled)).isTrue();
  }

  static boolean happens(CountDownLatch latch) throws InterruptedException {
    return latch.await(60, TimeUnit.SECONDS);
  }

  RpcServlet servlet() {
    RpcServlet running = servlet;
    assertThat(running).isNotNull();
    return running;
  }

  Server server() {
    return servlet().server();
  }
}
