package dev.repartee.servlet;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.Transport;
import dev.repartee.transport.http.HttpGate;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import dev.repartee.transport.http.server.MessageBuffer;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.ResponseFormat;
import dev.repartee.transport.http.server.Route;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one servlet. The container accepts the connections, and goes on doing so after
 * {@link #close}. Requests that arrive then are still served; their responses ask the client to
 * close the connection. After {@link #end} they are refused.
 */
final class ServletListening implements Transport.Listening {
  private static final String WEBSOCKETS = "jakarta.websocket.server.ServerContainer";
  private static final byte[] NO_BODY = {};

  /** The reason for which a request or a WebSocket is refused above the limit. */
  static final String CROWDED =
      "as many requests and connections are open as may be, the limit connections";

  private static final String CLOSING = "the server is closing";

  private final Endpoint endpoint;
  private final RequestPolicy policy;
  private final Limits limits;
  private final AtomicInteger open = new AtomicInteger();

  /** The requests that run, with the stages of their ends. */
  private final Map<ServletExchange, CompletableFuture<@Nullable Void>> running =
      new ConcurrentHashMap<>();

  private volatile boolean closing;
  private volatile boolean ended;

  ServletListening(Endpoint endpoint, RequestPolicy policy) {
    this.endpoint = endpoint;
    this.policy = policy;
    this.limits = policy.limits();
  }

  // ---------------------------------------------------------------- requests

  /**
   * Serves a request.
   *
   * @param more returns the attributes that the application has for the request
   * @param roles the roles that calls may check after the end of the request
   */
  void serve(
      HttpServletRequest request,
      HttpServletResponse response,
      Function<HttpServletRequest, Attributes> more,
      Set<String> roles)
      throws IOException, ServletException {
    ServletHead head = new ServletHead(request);
    boolean upgrade = RequestPolicy.isUpgrade(head);
    RequestFacts facts = RequestFacts.of(request, path(request), more.apply(request), roles);
    Route route = policy.route(facts.path());
    HttpResponse error = error(head, facts, route);
    if (error == null && upgrade) {
      error = upgrade(request, response, facts, Objects.requireNonNull(route));
      if (error == null) {
        return;
      }
    }
    ServletExchange x = new ServletExchange(
        request,
        response,
        facts,
        limits,
        route == null ? null : route.responder(),
        ResponseFormat.of(head, policy),
        closing,
        this::ended);
    running.put(x, new CompletableFuture<>());
    try {
      serve(request, x, facts, route, error);
    } catch (RuntimeException | Error e) { // such as a filter without asynchronous requests
      x.failed();
      throw e;
    }
  }

  private void serve(
      HttpServletRequest request,
      ServletExchange x,
      RequestFacts facts,
      @Nullable Route route,
      @Nullable HttpResponse error) {
    if (isOneTooMany()) {
      x.answer(unavailable(CROWDED));
    } else if (error != null) {
      x.answer(error);
    } else {
      admit(request, x, facts, Objects.requireNonNull(route));
    }
  }

  /** Waits for the gate of a path, on the thread of the container, as for the body after it. */
  private void admit(
      HttpServletRequest request, ServletExchange x, RequestFacts facts, Route route) {
    HttpGate gate = route.gate(facts.path());
    if (gate == null) {
      serve(request, x, facts, route);
      return;
    }
    CompletableFuture<HttpGate.Verdict> verdict = new CompletableFuture<>();
    x.onGone(() -> verdict.complete(HttpGate.Verdict.refused(unavailable(CLOSING))));
    gate.admit(facts.request(NO_BODY)).thenAccept(verdict::complete);
    HttpGate.Verdict known = verdict.join();
    x.onGone(() -> {});
    HttpResponse refusal = known.refusal();
    if (refusal == null) {
      serve(request, x, facts.with(known.attributes()), route);
    } else {
      x.answer(refusal);
    }
  }

  /**
   * Returns the path that selects the service: the path in the context as it was sent. A single
   * service is selected by the mapping of the servlet, and its path starts behind that.
   */
  private String path(HttpServletRequest request) {
    if (policy.other() == null) {
      return behind(request.getContextPath(), request.getRequestURI());
    }
    String behind = request.getPathInfo();
    return behind == null ? "/" : behind;
  }

  /**
   * Returns the part of a URI behind the path of the context. Skips as many segments as that path
   * has, because a client may encode their characters in another way.
   */
  private static String behind(String context, String uri) {
    int start = 0;
    for (int at = context.indexOf('/'); at >= 0 && start >= 0; at = context.indexOf('/', at + 1)) {
      start = uri.indexOf('/', start + 1);
    }
    return start < 0 ? "/" : uri.substring(start);
  }

  private @Nullable HttpResponse error(
      ServletHead head, RequestFacts facts, @Nullable Route route) {
    if (ended) {
      return unavailable(CLOSING);
    }
    InetSocketAddress local =
        RequestFacts.address(head.request().getLocalAddr(), head.request().getLocalPort());
    HttpResponse error =
        policy.errorBeforeRouting(head, facts.info(), local, () -> facts.request(NO_BODY));
    return error == null ? policy.error(head, route) : error;
  }

  private static HttpResponse unavailable(String reason) {
    return HttpResponse.refused(503, "Try again later: " + reason + ".").header("retry-after", "1");
  }

  private void serve(
      HttpServletRequest request, ServletExchange x, RequestFacts facts, Route route) {
    RequestBody body = new RequestBody(policy);
    try {
      HttpResponse error = body.read(request);
      HttpService service = route.http();
      MessageBuffer message = body.message();
      if (error != null) {
        x.answer(error);
      } else if (service != null) {
        x.serve(service, facts.request(Arrays.copyOf(message.bytes, message.size)));
      } else {
        Attributes attributes = x.callAttributes(facts.attributes());
        FrameService responder = Objects.requireNonNull(route.responder());
        x.serve(responder.of(facts.info(), attributes), message.bytes, message.size);
      }
    } finally {
      body.clear();
    }
  }

  /** Counts a request or a WebSocket; returns whether it is above the limit. */
  private boolean isOneTooMany() {
    return open.incrementAndGet() > limits.connections();
  }

  private void ended(ServletExchange x) {
    open.decrementAndGet();
    Objects.requireNonNull(running.remove(x)).complete(null);
  }

  // ---------------------------------------------------------------- WebSockets

  /** Answers a handshake; returns the response instead if it is refused. */
  private @Nullable HttpResponse upgrade(
      HttpServletRequest request, HttpServletResponse response, RequestFacts facts, Route route)
      throws IOException, ServletException {
    Object container = request.getServletContext().getAttribute(WEBSOCKETS);
    if (container == null) {
      return HttpResponse.text(
          501, "This container has no WebSockets: jakarta.websocket is not set up in it.");
    }
    if (open.get() >= limits.connections()) {
      return unavailable(CROWDED);
    }
    Attributes attributes = facts.attributes();
    HttpGate gate = route.gate(facts.path());
    if (gate != null) {
      HttpGate.Verdict verdict =
          gate.admit(facts.request(NO_BODY)).toCompletableFuture().join();
      HttpResponse refusal = ended ? unavailable(CLOSING) : verdict.refusal();
      if (refusal != null) {
        return refusal;
      }
      attributes = verdict.attributes();
    }
    facts.roles().end();
    Upgrade.accept(
        request,
        response,
        container,
        new ServletSocket(limits, attributes, facts.socket(), new Sockets(route)),
        policy.subprotocol());
    return null;
  }

  /**
   * Counts the WebSockets of a path, and passes them on. A WebSocket counts when it opens, because
   * the API does not report a handshake whose response the client does not read: a place that was
   * reserved before would stay occupied. Handshakes that run at the same time can therefore pass the
   * check of the limit, and those above it are closed.
   */
  private final class Sockets implements SocketOwner {
    private final Route route;

    Sockets(Route route) {
      this.route = route;
    }

    @Override
    public boolean opened(Channel channel) {
      boolean admitted = !isOneTooMany();
      if (admitted) {
        route.acceptor().accept(channel);
      }
      return admitted;
    }

    @Override
    public boolean isClosing() {
      return closing;
    }

    @Override
    public void ended() {
      open.decrementAndGet();
    }
  }

  // ---------------------------------------------------------------- the end

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    closing = true;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Requests that begin later have no limit here, and are not waited for: under load there would
   * always be one. The container lets them finish.
   */
  @Override
  public CompletionStage<?> finish(Duration limit) {
    close();
    Map<ServletExchange, CompletableFuture<@Nullable Void>> last = Map.copyOf(running);
    CompletableFuture<?> finished =
        CompletableFuture.allOf(last.values().toArray(CompletableFuture[]::new));
    Clock.Timer timer = TimeLimits.clock(limits)
        .schedule(
            limit,
            Threads.CALLS,
            () -> last.forEach((x, end) -> {
              if (!end.isDone()) {
                x.stop();
                end.complete(null);
              }
            }));
    finished.thenRun(timer::cancel);
    return finished;
  }

  /** Refuses all further requests, because the container has removed the servlet. */
  void end() {
    ended = true;
  }
}
