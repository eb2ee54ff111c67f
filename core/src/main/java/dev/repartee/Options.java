package dev.repartee;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of an endpoint. Immutable: start from {@link #DEFAULT}; methods that change an
 * option return a changed copy.
 *
 * @param limits the limits
 * @param dialect the policies of the protocol on top of JSON-RPC
 * @param lenience the deviations from the specification that are tolerated; none by default. The
 *     URI of an endpoint may add some: {@code tcp://127.0.0.1:7000#lenient=null-params}
 * @param builtins the methods of this library that are offered; all by default
 * @param layers the layers around the handlers, outermost first
 * @param callLayers the layers around outgoing calls, outermost first
 * @param errors maps an exception of a handler to the error to answer with, or to null for -32603
 * @param listener the listener that receives the events of connections
 * @param headers the headers that are sent when connecting, such as those of an HTTP request; none
 *     by default. Not used by servers
 */
public record Options(
    Limits limits,
    Dialect dialect,
    Set<Lenience> lenience,
    Set<Builtin> builtins,
    List<Layer> layers,
    List<Layer> callLayers,
    Function<Throwable, @Nullable RpcError> errors,
    Listener listener,
    Headers headers) {
  /** The defaults. */
  public static final Options DEFAULT = new Options(
      Limits.DEFAULT,
      Dialect.PLAIN,
      Set.of(),
      EnumSet.allOf(Builtin.class),
      List.of(),
      List.of(),
      cause -> null,
      Listener.NONE,
      Headers.NONE);

  /** A deviation from the specification that can be tolerated. */
  public enum Lenience {
    /** Treats {@code "params":null} as no params. */
    NULL_PARAMS,
    /** Accepts messages without the member {@code jsonrpc}. */
    MISSING_VERSION,
    /**
     * Fails the pending call when an error with id null arrives, if exactly one call is pending.
     */
    NULL_ID_FAILS_LONE_CALL;

    private static final String ALL = "all";

    /** Returns the name in URIs, such as {@code null-params} in {@code #lenient=null-params}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the deviations with these names.
     *
     * @param labels names separated by commas; {@code all} stands for all of them
     * @throws IllegalArgumentException if a name is unknown; the message lists the known names
     */
    public static Set<Lenience> named(String labels) {
      Set<Lenience> named = EnumSet.noneOf(Lenience.class);
      for (String label : labels.split(",", -1)) {
        List<Lenience> found = Arrays.stream(values())
            .filter(lenience -> label.equals(ALL) || label.equals(lenience.label()))
            .toList();
        if (found.isEmpty()) {
          throw new IllegalArgumentException("unknown lenience '" + label + "'; known are "
              + Arrays.stream(values()).map(Lenience::label).collect(Collectors.joining(", "))
              + " and all");
        }
        named.addAll(found);
      }
      return named;
    }
  }

  /**
   * A method that this library offers itself, with a reserved name that starts with {@code rpc.}.
   */
  public enum Builtin {
    /** {@code rpc.ping} returns {@code "pong"}. */
    PING("rpc.ping"),
    /** {@code rpc.status} reports how many calls run and wait on this connection. */
    STATUS("rpc.status"),
    /** {@code rpc.cancel} cancels the call with an id. */
    CANCEL("rpc.cancel"),
    /** {@code rpc.discover} returns the methods as an OpenRPC document. */
    DISCOVER("rpc.discover");

    private final String method;

    Builtin(String method) {
      this.method = method;
    }

    String method() {
      return method;
    }
  }

  /** Copies the collections. */
  public Options {
    lenience = Set.copyOf(lenience);
    builtins = Set.copyOf(builtins);
    layers = List.copyOf(layers);
    callLayers = List.copyOf(callLayers);
  }

  /** Returns a copy with these limits. */
  public Options with(Limits limits) {
    Draft draft = new Draft(this);
    draft.limits = limits;
    return draft.options();
  }

  /** Returns a copy with this dialect. */
  public Options with(Dialect dialect) {
    Draft draft = new Draft(this);
    draft.dialect = dialect;
    return draft.options();
  }

  /** Returns a copy with this listener. */
  public Options with(Listener listener) {
    Draft draft = new Draft(this);
    draft.listener = listener;
    return draft.options();
  }

  /**
   * Returns a copy with one more header. It replaces a header of the same name, ignoring case. A
   * transport that cannot send headers refuses to connect if there are any.
   *
   * @throws IllegalArgumentException if the name is not a token of RFC 9110, or the value contains
   *     characters other than printable ASCII. The message does not contain the value, which may be
   *     secret
   */
  public Options header(String name, String value) {
    Draft draft = new Draft(this);
    draft.headers = headers.with(name, value);
    return draft.options();
  }

  /** Returns a copy that tolerates these deviations and no others. */
  public Options lenient(Lenience... lenience) {
    Draft draft = new Draft(this);
    draft.lenience = Set.of(lenience);
    return draft.options();
  }

  /**
   * Returns a copy that also tolerates the deviations that the URI of an endpoint names in its
   * option {@code lenient}. {@link Repartee} does this itself; use this method for a {@link
   * Peer#open(Channel, Service, Options) peer on a channel} that you have opened.
   */
  public Options at(Endpoint endpoint) {
    Set<Lenience> all = EnumSet.noneOf(Lenience.class);
    all.addAll(lenience);
    if (!all.addAll(endpoint.lenience())) {
      return this; // threads keep a ParsedFrame for each Options object: make no other
    }
    Draft draft = new Draft(this);
    draft.lenience = all;
    return draft.options();
  }

  /** Returns a copy that offers these methods of the library and no others. */
  public Options offering(Builtin... builtins) {
    Draft draft = new Draft(this);
    draft.builtins = Set.of(builtins);
    return draft.options();
  }

  /** Returns a copy with one more layer around the handlers, inside the present layers. */
  public Options layer(Layer layer) {
    Draft draft = new Draft(this);
    draft.layers = append(layers, layer);
    return draft.options();
  }

  /** Returns a copy with one more layer around outgoing calls, inside the present layers. */
  public Options callLayer(Layer layer) {
    Draft draft = new Draft(this);
    draft.callLayers = append(callLayers, layer);
    return draft.options();
  }

  /**
   * Returns a copy that answers exceptions of this class and its subclasses with this error.
   * Mappings that were added earlier take precedence.
   */
  public Options mapping(Class<? extends Throwable> type, RpcError error) {
    Function<Throwable, @Nullable RpcError> earlier = errors;
    Draft draft = new Draft(this);
    draft.errors = cause -> {
      RpcError mapped = earlier.apply(cause);
      return mapped == null && type.isInstance(cause) ? error : mapped;
    };
    return draft.options();
  }

  private static List<Layer> append(List<Layer> layers, Layer layer) {
    List<Layer> all = new ArrayList<>(layers);
    all.add(layer);
    return all;
  }

  /** A mutable copy of the components, so that each method names only the one it changes. */
  private static final class Draft {
    Limits limits;
    Dialect dialect;
    Set<Lenience> lenience;
    Set<Builtin> builtins;
    List<Layer> layers;
    List<Layer> callLayers;
    Function<Throwable, @Nullable RpcError> errors;
    Listener listener;
    Headers headers;

    Draft(Options of) {
      limits = of.limits;
      dialect = of.dialect;
      lenience = of.lenience;
      builtins = of.builtins;
      layers = of.layers;
      callLayers = of.callLayers;
      errors = of.errors;
      listener = of.listener;
      headers = of.headers;
    }

    Options options() {
      return new Options(
          limits, dialect, lenience, builtins, layers, callLayers, errors, listener, headers);
    }
  }
}
