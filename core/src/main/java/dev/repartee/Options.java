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
 * How an endpoint behaves. Immutable: start from {@link #DEFAULT}, each method that changes something
 * answers a changed copy.
 *
 * @param limits the bounds
 * @param dialect the policies of the protocol spoken
 * @param lenience deviations of peers that are tolerated; none by default. The URI of an endpoint may
 *     add some: {@code tcp://127.0.0.1:7000#lenient=null-params}
 * @param builtins the methods of our own that are offered; all by default
 * @param layers what stands around the handlers, outermost first
 * @param callLayers what stands around calls that leave, outermost first
 * @param errors turns an exception of a handler into the error to answer with, or null for -32603
 * @param listener who sees what happens
 * @param headers what connections that are made tell outside of the messages; none by default. A
 *     listener has no use for them
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
  /** What holds where nothing else is said. */
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

  /** Deviations from the specification that can be tolerated, each by its own name. */
  public enum Lenience {
    /** {@code "params":null} counts as no params. */
    NULL_PARAMS,
    /** A message without {@code jsonrpc} counts as one with it. */
    MISSING_VERSION,
    /** An error with id null fails the one call that is in flight, if exactly one is. */
    NULL_ID_FAILS_LONE_CALL;

    private static final String ALL = "all";

    /** Returns the name in URIs: {@code #lenient=null-params}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the deviations of those names, which commas separate; {@code all} stands for every one.
     *
     * @throws IllegalArgumentException if there is none of such a name; the message lists those there are
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

  /** The methods under {@code rpc.} that this library offers of its own. */
  public enum Builtin {
    /** {@code rpc.ping} answers {@code "pong"}. */
    PING("rpc.ping"),
    /** {@code rpc.status} tells what runs and waits on this connection. */
    STATUS("rpc.status"),
    /** {@code rpc.cancel} cancels a call by its id. */
    CANCEL("rpc.cancel"),
    /** {@code rpc.discover} lists the methods as an OpenRPC document. */
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

  /** With these limits. */
  public Options with(Limits limits) {
    Draft draft = new Draft(this);
    draft.limits = limits;
    return draft.options();
  }

  /** With this dialect. */
  public Options with(Dialect dialect) {
    Draft draft = new Draft(this);
    draft.dialect = dialect;
    return draft.options();
  }

  /** With this listener. */
  public Options with(Listener listener) {
    Draft draft = new Draft(this);
    draft.listener = listener;
    return draft.options();
  }

  /**
   * With one more header, in the place of one of the same name in whatever case. A transport that has
   * no place for headers refuses to connect with any.
   *
   * @throws IllegalArgumentException if the name is no token of RFC 9110, or the value has anything but
   *     printable ASCII; the message does not tell the value
   */
  public Options header(String name, String value) {
    Draft draft = new Draft(this);
    draft.headers = headers.with(name, value);
    return draft.options();
  }

  /** Tolerating these deviations and no others. */
  public Options lenient(Lenience... lenience) {
    Draft draft = new Draft(this);
    draft.lenience = Set.of(lenience);
    return draft.options();
  }

  /**
   * Returns these options with what the URI of an endpoint adds: it tolerates what its option {@code
   * lenient} names, too. {@link Repartee} does this by itself; it is for a {@link Peer#open(Channel,
   * Service, Options) peer on a channel} that was opened apart.
   */
  public Options at(Endpoint endpoint) {
    Set<Lenience> all = EnumSet.noneOf(Lenience.class);
    all.addAll(lenience);
    if (!all.addAll(endpoint.lenience())) {
      return this; // what is decoded into is kept by the identity of the options
    }
    Draft draft = new Draft(this);
    draft.lenience = all;
    return draft.options();
  }

  /** Offering these methods of our own and no others. */
  public Options offering(Builtin... builtins) {
    Draft draft = new Draft(this);
    draft.builtins = Set.of(builtins);
    return draft.options();
  }

  /** With one more layer around the handlers, inside those there are. */
  public Options layer(Layer layer) {
    Draft draft = new Draft(this);
    draft.layers = append(layers, layer);
    return draft.options();
  }

  /** With one more layer around calls that leave, inside those there are. */
  public Options callLayer(Layer layer) {
    Draft draft = new Draft(this);
    draft.callLayers = append(callLayers, layer);
    return draft.options();
  }

  /**
   * Answering exceptions of that class (and its subclasses) with this error. What was mapped earlier
   * goes first.
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

  /** The components one by one, so that a copy with another value names no more than that one. */
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
