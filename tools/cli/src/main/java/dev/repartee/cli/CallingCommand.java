package dev.repartee.cli;

import dev.repartee.CallBuilder;
import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.cli.options.ConnectedCommand;
import dev.repartee.cli.options.ErrorObject;
import dev.repartee.cli.options.MemberOption;
import dev.repartee.cli.options.Watchdog;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Lenience;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that makes calls on one connection, one after another, and prints their results. */
abstract class CallingCommand extends ConnectedCommand {
  private static final String STREAM =
      "'%s' answers with a stream; 'repartee call --stream' prints its items";

  /** The notification that a peer misses if its stream is called like another method. */
  private static final String CREDIT = "rpc.credit";

  @Option(names = "--raw", description = """
          Print the whole response unchanged, result or error, on standard output.""")
  boolean raw;

  @Option(names = "--lenient", paramLabel = "NAMES", description = """
          Tolerate deviations of the peer, as #lenient=NAMES after the URI does: missing-version \
          (no member jsonrpc), null-outcome ("error":null beside a result), null-params, or all.""")
  @Nullable String lenient;

  @Mixin
  final MemberOption members = new MemberOption();

  private Recorder recorder = new Recorder(Dialect.PLAIN, false);
  private volatile @Nullable String violation;

  /** Returns the options of the connection. */
  final Options options(Recorder recorder) {
    this.recorder = recorder;
    Set<Lenience> tolerated = EnumSet.of(Lenience.NULL_ID_FAILS_LONE_CALL);
    try {
      tolerated.addAll(lenient == null ? Set.of() : Lenience.named(lenient));
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--lenient: " + Failure.reason(e));
    }
    return members.addTo(Options.builder()
        .lenience(tolerated.toArray(new Lenience[0]))
        .listener(new FirstViolation())
        .dialect(recorder)
        .build());
  }

  /** Returns the stream that the methods answer with, if any. */
  Items items() {
    return new Items();
  }

  /**
   * Makes a call, prints its result, items or error, and returns the exit code. Also reports a
   * protocol violation after which the peer still answered.
   */
  final int call(Peer peer, String uri, String method, @Nullable Json params, Stopwatch watch) {
    int exit = outcome(peer, uri, method, params, watch);
    report(uri);
    return exit;
  }

  /** Reports a protocol violation of the peer, unless it was reported. */
  final void report(String uri) {
    String seen = violation;
    if (seen != null) {
      violation = null; // it does not explain why a later call fails
      stdio.say(Endpoint.shown(uri) + ": " + seen);
    }
  }

  private int outcome(
      Peer peer, String uri, String method, @Nullable Json params, Stopwatch watch) {
    Items items = items();
    CallBuilder call = peer.request(method).onProgress(stdio.progress()::show);
    if (params != null) {
      call.params(params);
    }
    recorder.forget();
    try {
      if (items.areExpected()) {
        Watchdog.rest(); // a stream has no time limit
        long count = items.print(call, peer, uri, method, recorder, stdio);
        watch.lap(Items.counted(count));
        return Exit.OK;
      }
      Json result = call.timeout(connection.left()).call(Json.class);
      watch.lap("answered");
      stdio.result(rawOr(result));
      if (recorder.hasItems()) {
        stdio.say(STREAM.formatted(method) + "; the result is the number of its items");
      }
      return Exit.OK;
    } catch (RpcException e) {
      watch.lap("answered");
      if (raw) {
        stdio.result(rawOr(ErrorObject.of(e.error())));
      } else {
        stdio.note("", ErrorObject.of(e.error()));
      }
      Json data = e.data();
      if (e.code() == RpcError.INVALID_REQUEST
          && data != null
          && data.toString().contains(CREDIT)) {
        stdio.say(STREAM.formatted(method));
      }
      return Exit.ERROR_RESPONSE;
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e)); // the envelope cannot carry such params
    } catch (LimitException e) {
      throw Failure.usage("the call is not sent because it is " + Failure.reason(e));
    } catch (CallTimeoutException | DisconnectedException | ProtocolException | JsonException e) {
      throw Failure.unanswered(method, uri, connection.timeout, e, violation, recorder.hasHeard());
    }
  }

  private Json rawOr(Json otherwise) {
    Json response = recorder.response();
    return response == null ? otherwise : response;
  }

  /** Keeps the first protocol violation, which explains a missing response. */
  private final class FirstViolation implements Listener {
    @Override
    public void violation(ChannelInfo channel, String what) {
      if (violation == null) {
        violation = what;
      }
    }
  }
}
