package dev.repartee;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How an endpoint behaves. Immutable: start from {@link #DEFAULT}, each method that changes something
 * answers a changed copy.
 *
 * @param limits the bounds
 * @param dialect the policies of the protocol spoken
 * @param lenience deviations of peers that are tolerated; none by default
 * @param builtins the methods of our own that are offered; all by default
 * @param layers what stands around the handlers, outermost first
 * @param callLayers what stands around calls that leave, outermost first
 * @param errors turns an exception of a handler into the error to answer with, or null for -32603
 * @param listener who sees what happens
 */
public record Options(
    Limits limits,
    Dialect dialect,
    Set<Lenience> lenience,
    Set<Builtin> builtins,
    List<Layer> layers,
    List<Layer> callLayers,
    Function<Throwable, @Nullable RpcError> errors,
    Listener listener) {
  /** What holds where nothing else is said. */
  public static final Options DEFAULT = new Options(
      Limits.DEFAULT,
      Dialect.PLAIN,
      Set.of(),
      EnumSet.allOf(Builtin.class),
      List.of(),
      List.of(),
      cause -> null,
      Listener.NONE);

  /** Deviations from the specification that can be tolerated, each by its own name. */
  public enum Lenience {
    /** {@code "params":null} counts as no params. */
    NULL_PARAMS,
    /** A message without {@code jsonrpc} counts as one with it. */
    MISSING_VERSION,
    /** An error with id null fails the one call that is in flight, if exactly one is. */
    NULL_ID_FAILS_LONE_CALL
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
    return new Options(limits, dialect, lenience, builtins, layers, callLayers, errors, listener);
  }

  /** With this dialect. */
  public Options with(Dialect dialect) {
    return new Options(limits, dialect, lenience, builtins, layers, callLayers, errors, listener);
  }

  /** With this listener. */
  public Options with(Listener listener) {
    return new Options(limits, dialect, lenience, builtins, layers, callLayers, errors, listener);
  }

  /** Tolerating these deviations and no others. */
  public Options lenient(Lenience... lenience) {
    return new Options(
        limits, dialect, Set.of(lenience), builtins, layers, callLayers, errors, listener);
  }

  /** Offering these methods of our own and no others. */
  public Options offering(Builtin... builtins) {
    return new Options(
        limits, dialect, lenience, Set.of(builtins), layers, callLayers, errors, listener);
  }

  /** With one more layer around the handlers, inside those there are. */
  public Options layer(Layer layer) {
    return new Options(
        limits, dialect, lenience, builtins, append(layers, layer), callLayers, errors, listener);
  }

  /** With one more layer around calls that leave, inside those there are. */
  public Options callLayer(Layer layer) {
    return new Options(
        limits, dialect, lenience, builtins, layers, append(callLayers, layer), errors, listener);
  }

  /**
   * Answering exceptions of that class (and its subclasses) with this error. What was mapped earlier
   * goes first.
   */
  public Options mapping(Class<? extends Throwable> type, RpcError error) {
    Function<Throwable, @Nullable RpcError> earlier = errors;
    return new Options(
        limits,
        dialect,
        lenience,
        builtins,
        layers,
        callLayers,
        cause -> {
          RpcError mapped = earlier.apply(cause);
          return mapped == null && type.isInstance(cause) ? error : mapped;
        },
        listener);
  }

  private static List<Layer> append(List<Layer> layers, Layer layer) {
    List<Layer> all = new ArrayList<>(layers);
    all.add(layer);
    return all;
  }
}
