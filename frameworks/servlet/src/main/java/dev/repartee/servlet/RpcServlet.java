package dev.repartee.servlet;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.PeerFactory;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.Threads;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import dev.repartee.transport.http.server.NotificationStatus;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Serves JSON-RPC at the paths of a servlet: POST, server-sent events and WebSocket. Registered with
 * support for asynchronous requests, which all filters before it need too.
 *
 * <pre>{@code
 * ServletRegistration.Dynamic rpc = context.addServlet("rpc", new RpcServlet(service, options));
 * rpc.addMapping("/rpc");
 * rpc.setAsyncSupported(true);
 * }</pre>
 *
 * <p>The handlers of a POST run on the thread of the container that serves the request, and see its
 * context: the user, the transaction, the MDC of the log. With {@link Options.Builder#executor} they
 * run there instead. Those of a WebSocket run on workers, as everywhere.
 *
 * <p>A single service is served at all paths that the servlet is mapped to. With {@link HttpRoutes}
 * the servlet is mapped to {@code /*} or to each path; the paths start behind that of the context.
 *
 * <p>The limits and the checks of {@code Host} and {@code Origin} are those of {@code
 * repartee-netty}; {@code Limits.connections} limits the running requests and open WebSockets of the
 * servlet. The init parameters {@code hosts}, {@code origins}, {@code subprotocol} and {@code
 * notification-status} replace the values of the builder.
 *
 * <p>For a WAR, a subclass with a constructor without parameters calls one of these constructors.
 */
public class RpcServlet extends HttpServlet {
  /**
   * The attribute of a call with the user of its request or handshake; not set if there is none. The
   * same user is the {@link dev.repartee.Call#principal}, with the roles of {@link Builder#roles}
   * that it has, unless {@link Builder#attributes} sets another one.
   */
  public static final Attribute<Principal> PRINCIPAL = Attribute.named("principal");

  /**
   * The attribute of a call with the check whether the user of its request has a role, by {@link
   * HttpServletRequest#isUserInRole}. Without a user no role is given. Calls over a WebSocket, and
   * notifications that run longer than their request, can check only the roles of {@link
   * Builder#roles}; for others the check throws an {@link IllegalStateException}.
   */
  public static final Attribute<Predicate<String>> ROLES = Attribute.named("roles");

  private static final long serialVersionUID = 1;

  private final transient Builder builder;
  private transient volatile @Nullable Running running;

  /** A server and its requests. */
  private record Running(Server server, ServletListening listening) {}

  /** Creates a servlet for one service. The options hold for its calls and the endpoint. */
  public RpcServlet(Service service, Options options) {
    this(builder().service(service).options(options));
  }

  /**
   * Creates a servlet for the services of several paths. Of the options the limits and the listener
   * are used, for the part that is common to all paths.
   */
  public RpcServlet(HttpRoutes routes, Options options) {
    this(builder().routes(routes).options(options));
  }

  /**
   * Creates a servlet with a peer for each WebSocket, and the HTTP service of the factory. Of the
   * options the limits and the listener are used, for the part that is common to all connections.
   */
  public RpcServlet(PeerFactory peers, Options options) {
    this(builder().peers(peers).options(options));
  }

  /**
   * Creates a servlet.
   *
   * @throws IllegalArgumentException if the builder has no service
   */
  public RpcServlet(Builder builder) {
    if (builder.start == null) {
      throw new IllegalArgumentException(
          "the servlet has nothing to serve: call service, routes or" + " peers of its builder");
    }
    this.builder = new Builder(builder);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Starts a server at an endpoint. */
  @FunctionalInterface
  private interface Start {
    Server listen(Transport transport, Endpoint endpoint, Options options) throws IOException;
  }

  /** A builder of servlets. */
  public static final class Builder {
    private final Map<String, String> endpoint;
    private @Nullable Start start;
    private Options options = Options.DEFAULT;
    private Function<HttpServletRequest, Attributes> attributes = request -> Attributes.NONE;
    private Set<String> roles = Set.of();

    private Builder() {
      endpoint = new TreeMap<>();
    }

    private Builder(Builder other) {
      endpoint = new TreeMap<>(other.endpoint);
      start = other.start;
      options = other.options;
      attributes = other.attributes;
      roles = other.roles;
    }

    /** Serves one service. */
    public Builder service(Service service) {
      start = (transport, endpoint, used) -> Server.listen(transport, endpoint, service, used);
      return this;
    }

    /** Serves the services of several paths. */
    public Builder routes(HttpRoutes routes) {
      start = (transport, endpoint, used) -> Server.listen(transport, endpoint, routes, used);
      return this;
    }

    /** Serves the peers of a factory, and its HTTP service. */
    public Builder peers(PeerFactory peers) {
      start = (transport, endpoint, used) -> Server.listen(transport, endpoint, peers, used);
      return this;
    }

    /** Sets the options, by default {@link Options#DEFAULT}. */
    public Builder options(Options options) {
      this.options = options;
      return this;
    }

    /**
     * Admits further host names under which clients may call, as behind a reverse proxy; {@code *}
     * admits every name. Without this, loopback names and the address of the server are admitted.
     */
    public Builder hosts(String... hosts) {
      return set(ServletTransport.HOSTS, String.join(",", hosts));
    }

    /** Admits further web origins whose pages may call, such as {@code https://app.example}. */
    public Builder origins(String... origins) {
      return set(ServletTransport.ORIGINS, String.join(",", origins));
    }

    /** Sets the WebSocket subprotocol that is spoken; by default none. */
    public Builder subprotocol(String subprotocol) {
      return set(ServletTransport.SUBPROTOCOL, subprotocol);
    }

    /**
     * Sets the HTTP status of a response without a message, as to a notification: 200, 202 or 204.
     * By default it is that of the {@link dev.repartee.message.Dialect}.
     */
    public Builder notificationStatus(int status) {
      return set(NotificationStatus.OPTION, String.valueOf(status));
    }

    private Builder set(String option, String value) {
      if (value.isEmpty()) {
        endpoint.remove(option);
      } else {
        endpoint.put(option, value);
      }
      return this;
    }

    /**
     * Sets a function that returns further attributes for the calls of a request or WebSocket. It
     * runs on the thread of the container, before the request is checked. It must copy what it
     * needs: the container uses the request object again.
     */
    public Builder attributes(Function<HttpServletRequest, Attributes> attributes) {
      this.attributes = attributes;
      return this;
    }

    /**
     * Sets the roles that {@link dev.repartee.access.Allow} and calls over a WebSocket can check;
     * see {@link #ROLES}.
     */
    public Builder roles(String... roles) {
      this.roles = Set.of(roles);
      return this;
    }

    private Running begin() throws IOException {
      Start starting = Objects.requireNonNull(start); // checked by the constructor
      ServletTransport transport = new ServletTransport();
      Endpoint served = new Endpoint(ServletTransport.SCHEME, "", endpoint);
      Server server = starting.listen(transport, served, options);
      return new Running(server, transport.listening());
    }
  }

  /**
   * Starts the server. A subclass that overrides this method calls it.
   *
   * @throws ServletException if an init parameter is malformed
   */
  @Override
  public void init() throws ServletException {
    Builder configured = new Builder(builder);
    for (String option : ServletTransport.OPTIONS) {
      String value = getInitParameter(option);
      if (value != null) {
        configured.set(option, value.replaceAll("\\s", ""));
      }
    }
    try {
      running = configured.begin();
    } catch (IOException | IllegalArgumentException e) {
      throw new ServletException(
          "the servlet '" + getServletName() + "' cannot start: " + e.getMessage(), e);
    }
  }

  /**
   * Closes the server within {@link dev.repartee.limits.Limits#closeTimeout}. Later requests are
   * answered with status 503. If the web application has its own copy of this library, as in a WAR,
   * idle threads of the library end: they would keep the class loader of the application.
   */
  @Override
  public void destroy() {
    Running ending = running;
    if (ending != null) {
      ending.server.close();
      ending.listening.end();
    }
    ClassLoader ours = Threads.class.getClassLoader();
    if (ours == getServletContext().getClassLoader()
        && ours != ClassLoader.getSystemClassLoader()) {
      Threads.retire();
    }
  }

  /**
   * Returns the server, with the peers of the WebSockets. {@link Server#close} lets running requests
   * finish. The container still accepts requests after that; they are served, and their responses
   * ask the client to close the connection. The server has no port.
   *
   * @throws IllegalStateException if the container has not initialised this servlet yet; {@code
   *     loadOnStartup} makes it do so when it starts
   */
  public Server server() {
    return running().server;
  }

  private Running running() {
    Running started = running;
    if (started == null) {
      throw new IllegalStateException("the servlet is not initialised; set loadOnStartup to 1");
    }
    return started;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    running().listening.serve(request, response, builder.attributes, builder.roles);
  }
}
