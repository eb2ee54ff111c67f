package dev.repartee.testkit;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * An extension of JUnit that serves a service and gives the tests a server, a client or a proxy as
 * parameters:
 *
 * <pre>{@code
 * class CalculatorTest {
 *   @RegisterExtension
 *   static final ReparteeExtension RPC = ReparteeExtension.serving(new Calculator());
 *
 *   @Test
 *   void subtracts(Peer client) {
 *     assertEquals(19, client.call("subtract", int.class, 42, 23));
 *   }
 * }
 * }</pre>
 *
 * <p>A parameter of a test, of a constructor, or of a method before or after tests may have these
 * types:
 *
 * <ul>
 *   <li>{@link Peer}: a client that is connected to the server
 *   <li>{@link Server}: the server
 *   <li>an interface with a method that is annotated with {@link Rpc}, or one that {@link #proxies}
 *       names: a proxy over the client
 *   <li>{@link ScriptedPeer}: one more client, which sends and receives frames
 * </ul>
 *
 * <p>Every test has its own server and client, which are started when the first parameter needs
 * them and closed after the test. Those of a {@code @BeforeAll} method live until all tests of the
 * class have ended, and its tests share them.
 *
 * <p>Immutable. The server listens at {@code mem:} unless {@link #at} says otherwise.
 */
public final class ReparteeExtension implements ParameterResolver {
  private final Supplier<?> service;
  private final String uri;
  private final Options serverOptions;
  private final Options clientOptions;
  private final Service clientService;
  private final Set<Class<?>> proxies;

  /** The place of the fixtures of this extension in the stores of JUnit. */
  private final ExtensionContext.Namespace namespace =
      ExtensionContext.Namespace.create(ReparteeExtension.class, this);

  private ReparteeExtension(
      Supplier<?> service,
      String uri,
      Options serverOptions,
      Options clientOptions,
      Service clientService,
      Set<Class<?>> proxies) {
    this.service = service;
    this.uri = uri;
    this.serverOptions = serverOptions;
    this.clientOptions = clientOptions;
    this.clientService = clientService;
    this.proxies = proxies;
  }

  /** Serves a service to every test. */
  public static ReparteeExtension serving(Service service) {
    return serving(() -> service);
  }

  /** Serves the methods of an object, which all tests share, as {@link Service#of(Object)} does. */
  public static ReparteeExtension serving(Object target) {
    return serving(() -> target);
  }

  /**
   * Serves the {@link Service}, or the object with methods, of a function; it is called for each
   * server. The tests then share no state: {@code serving(Calculator::new)}.
   */
  public static ReparteeExtension serving(Supplier<?> service) {
    return new ReparteeExtension(
        service, "mem:*", Options.DEFAULT, Options.DEFAULT, Service.NONE, Set.of());
  }

  /**
   * Returns an extension with another endpoint for the server. Use an endpoint that is free for
   * each server, such as {@code tcp://127.0.0.1:0}.
   */
  public ReparteeExtension at(String uri) {
    return new ReparteeExtension(
        service, uri, serverOptions, clientOptions, clientService, proxies);
  }

  /** Returns an extension with these options for the server. */
  public ReparteeExtension serverOptions(Options options) {
    return new ReparteeExtension(service, uri, options, clientOptions, clientService, proxies);
  }

  /** Returns an extension with these options for the client. */
  public ReparteeExtension clientOptions(Options options) {
    return new ReparteeExtension(service, uri, serverOptions, options, clientService, proxies);
  }

  /** Returns an extension with a service of the client, for servers that call back. */
  public ReparteeExtension clientService(Service service) {
    return new ReparteeExtension(this.service, uri, serverOptions, clientOptions, service, proxies);
  }

  /**
   * Returns an extension that makes proxies of these interfaces, too; those with an {@link Rpc}
   * annotation need no mention.
   */
  public ReparteeExtension proxies(Class<?>... types) {
    return new ReparteeExtension(
        service, uri, serverOptions, clientOptions, clientService, Set.of(types));
  }

  /** Makes the parameters of constructors belong to the test, like the parameters of its method. */
  @Override
  public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
    return ExtensionContextScope.TEST_METHOD;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Peer.class
        || type == Server.class
        || type == ScriptedPeer.class
        || proxies.contains(type)
        || type.isInterface()
            && Arrays.stream(type.getMethods()).anyMatch(m -> m.isAnnotationPresent(Rpc.class));
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    try {
      Fixture fixture = fixture(context);
      if (type == Server.class) {
        return fixture.server;
      } else if (type == ScriptedPeer.class) {
        return fixture.scripted();
      }
      return type == Peer.class ? fixture.client() : fixture.client().proxy(type);
    } catch (IOException e) {
      throw new ParameterResolutionException(
          "cannot make the parameter '" + parameter.getParameter().getName() + "': "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Returns the fixture of the test, or the fixture of its class if a method before all tests has
   * made one.
   */
  private Fixture fixture(ExtensionContext context) throws IOException {
    ExtensionContext.Store store = context.getStore(namespace);
    Fixture present = store.get(Fixture.class, Fixture.class);
    if (present == null) {
      present = new Fixture();
      store.put(Fixture.class, present); // JUnit closes it at the end of the context
    }
    return present;
  }

  /** A server and its clients. */
  private final class Fixture implements AutoCloseable {
    final Server server;
    private @Nullable Peer client;
    private final List<ScriptedPeer> scripted = new ArrayList<>();

    Fixture() throws IOException {
      Object served = service.get();
      server = Repartee.listen(
          uri, served instanceof Service made ? made : Service.of(served), serverOptions);
    }

    synchronized Peer client() throws IOException {
      Peer connected = client;
      if (connected == null) {
        connected = Repartee.connect(server.endpoint(), clientService, clientOptions);
        client = connected;
      }
      return connected;
    }

    synchronized ScriptedPeer scripted() throws IOException {
      Endpoint endpoint = server.endpoint();
      ScriptedPeer peer = ScriptedPeer.on(
          Transport.open(endpoint, clientOptions.limits(), clientOptions.headersAt(endpoint)));
      scripted.add(peer);
      return peer;
    }

    @Override
    public synchronized void close() {
      scripted.forEach(ScriptedPeer::close);
      if (client != null) {
        client.close();
      }
      server.close();
    }
  }
}
