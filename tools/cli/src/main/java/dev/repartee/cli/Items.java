package dev.repartee.cli;

import dev.repartee.CallBuilder;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.SignalHook;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.json.Json;
import dev.repartee.message.Notification;
import dev.repartee.message.ParsedFrame;
import dev.repartee.stream.LaggedException;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The stream that a method answers with, and its output: a line for each item. */
final class Items {
  /** The time limit for cancelling the stream after a signal. */
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  @Option(names = "--stream", description = """
          Print the items of a method that answers with a stream, each on a line as it arrives, \
          until the stream ends or Ctrl-C. --timeout does not limit the stream.""")
  boolean stream;

  @Option(names = "--subscribe", paramLabel = "NOTIFICATION,UNSUBSCRIBE", description = """
          Print the items of a subscription, as --stream does. METHOD answers with the id of the \
          subscription. The first name is the method of the items, the second name is the method \
          that ends the subscription.""")
  @Nullable String subscribe;

  private final AtomicBoolean strayReported = new AtomicBoolean();

  /** Returns whether the answer is a stream. */
  boolean areExpected() {
    return stream || subscribe != null;
  }

  /** Returns the form of the stream. */
  Streaming form() {
    if (subscribe == null) {
      return Streaming.DEFAULT;
    }
    if (stream) {
      throw Failure.usage("--subscribe prints a subscription and --stream the stream of a call; use"
          + " one of them");
    }
    String[] names = subscribe.split(",", -1);
    if (names.length != 2 || names[0].isBlank() || names[1].isBlank()) {
      throw Failure.usage("--subscribe takes two names, the name of the notifications and the"
          + " name of the method that unsubscribes, such as eth_subscription,eth_unsubscribe; not '"
          + subscribe + "'");
    }
    return Streaming.subscription(names[0].strip(), names[1].strip());
  }

  /**
   * Prints the items until the stream has ended, a signal arrives or the reader of standard output
   * closes it. Then cancels the call or ends the subscription. At most 256 received items wait to
   * be printed, or 16,384 items of a subscription.
   *
   * @return the number of items
   */
  long print(
      CallBuilder call, Peer peer, String uri, String method, Recorder recorder, Stdio stdio) {
    AtomicLong count = new AtomicLong();
    CompletableFuture<@Nullable Void> signal = new CompletableFuture<>();
    SignalHook hook = new SignalHook("end of the stream", () -> end(signal, peer));
    try {
      CompletableFuture<?> done =
          call.streaming(form()).stream(Json.class).forEach(item -> print(item, count, stdio));
      signal.thenRun(() -> done.cancel(true)); // immediately, if the signal has already arrived
      done.join();
    } catch (CancellationException e) {
      return count.get();
    } catch (CompletionException e) {
      throw failure(e.getCause(), uri, method, count.get(), recorder);
    } finally {
      hook.remove();
    }
    if (subscribe == null && count.get() == 0) {
      requireStream(method, recorder);
    }
    return count.get();
  }

  /**
   * Reports once that the notifications of a subscription have another name than {@code
   * --subscribe}. Without the report the command would silently wait for items.
   */
  void reportStray(ParsedFrame frame, Stdio stdio) {
    if (subscribe == null || strayReported.get()) {
      return;
    }
    String named = form().notification();
    for (int i = 0; i < frame.count(); i++) {
      if (frame.kind(i) == ParsedFrame.NOTIFICATION
          && frame.message(i) instanceof Notification arrived
          && isOfSubscription(arrived.params())
          && !arrived.method().equals(named)
          && strayReported.compareAndSet(false, true)) {
        stdio.say("notifications '" + arrived.method() + "' arrive, but --subscribe names '" + named
            + "'");
      }
    }
  }

  private static boolean isOfSubscription(@Nullable Json params) {
    return params != null
        && params.kind() == Json.Kind.OBJECT
        && params.get("subscription") != null;
  }

  private static void print(Json item, AtomicLong count, Stdio stdio) {
    count.incrementAndGet();
    if (!stdio.item(item)) {
      throw new CancellationException(); // the reader of standard output has closed it
    }
  }

  /** Handles a signal: cancels the stream, then closes the connection. */
  private static void end(CompletableFuture<@Nullable Void> signal, Peer peer) {
    signal.complete(null);
    peer.close(FAREWELL);
  }

  private static RuntimeException failure(
      @Nullable Throwable cause, String uri, String method, long count, Recorder recorder) {
    if (cause instanceof LaggedException lagged) {
      return Failure.lost(
          "'" + method + "' sends items faster than standard output takes them: more than "
              + lagged.buffer() + " wait");
    } else if (cause instanceof DisconnectedException) {
      return Failure.lost(
          "the connection to " + Endpoint.shown(uri) + " ended before the stream of '" + method
              + "' did, after " + counted(count) + ": " + Failure.reason(cause));
    } else if (cause instanceof IllegalStateException
        || cause instanceof IllegalArgumentException) {
      return Failure.usage(Failure.reason(cause)); // no subscription is possible
    } else if (cause instanceof ProtocolException && count == 0) {
      requireStream(method, recorder);
    }
    return cause instanceof RuntimeException e ? e : new CompletionException(cause);
  }

  /** Throws a failure if the result of the call is not a number of items. */
  private static void requireStream(String method, Recorder recorder) {
    Json response = recorder.response();
    Json result = response == null ? null : response.get("result");
    if (result != null && !result.toString().equals("0")) {
      throw new Failure(
          Exit.PROTOCOL,
          "'" + method + "' answered with a result and without items, so this is not a stream;"
              + " call it without --stream");
    }
  }

  static String counted(long count) {
    return count + (count == 1 ? " item" : " items");
  }
}
