package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.ProtocolException;
import dev.repartee.cli.options.ConnectedCommand;
import dev.repartee.cli.options.Connection;
import dev.repartee.cli.options.Conversation;
import dev.repartee.cli.options.Source;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.cli.terminal.Stopwatch;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonLayout;
import dev.repartee.message.Dialect;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Notification;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code repartee batch}: sends JSON texts as one batch and prints each response on a line. */
@Command(description = """
        Sends requests and notifications, one JSON text per line, as one batch, and prints each \
        response on its own line, in the order of arrival.
        Ends when every request with an id has its response.""", footer = """
          repartee batch unix:./app.sock requests.jsonl --timeout 5s
          echo '{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":1}' |
              repartee batch http://127.0.0.1:8645/

        Exit codes: 0 only results, 1 at least one error response, 2 usage, 3 cannot connect,
        4 timeout or connection lost, 5 the peer broke the protocol, 6 out of memory.""")
final class BatchCommand extends ConnectedCommand {
  @Mixin
  final Source source = new Source();

  private int exit = Exit.OK;
  /** False after the reader of standard output has closed it. */
  private boolean read = true;
  /** Whether the peer has sent a frame. */
  private boolean heard;
  /** The first protocol violation of the peer. */
  private @Nullable String violation;

  @Override
  public Integer call() throws InterruptedException, IOException {
    Connection.requireJsonRpc2("a batch", source.uri);
    Requests requests = Requests.read(source.whole(source.open(stdio.in())), source.name());
    Stopwatch watch = connection.begin(stdio);
    try (Conversation peer = connection.converse(source.uri, stdio)) {
      watch.lap("connected");
      peer.say(requests.text(), connection.left());
      if (requests.areAnswered()) {
        peer.finish(connection.left());
        watch.lap("sent");
      } else {
        hear(peer, requests);
        watch.lap("answered");
      }
      return exit;
    } catch (DisconnectedException e) {
      throw ended(requests, Failure.reason(e));
    }
  }

  private void hear(Conversation peer, Requests requests) throws InterruptedException {
    while (read && !requests.areAnswered()) {
      Conversation.Event event = peer.hear(connection.nanosLeft());
      if (event instanceof Conversation.Text text) {
        take(text.bytes(), requests, peer);
      } else if (event instanceof Conversation.Fault fault) {
        note(fault.reason());
      } else if (event instanceof Conversation.Refused refused) {
        throw refused.failure();
      } else if (event instanceof Conversation.HungUp) {
        throw ended(requests, "the peer closed it");
      } else if (event instanceof Conversation.Closed closed) {
        throw ended(
            requests, closed.cause() == null ? "it was closed" : Failure.reason(closed.cause()));
      } else {
        throw missing(requests.missing() + " from " + Endpoint.shown(source.uri) + " within "
            + connection.timeout.toMillis() + " ms" + Failure.late(source.uri, heard));
      }
    }
  }

  private Failure ended(Requests requests, String why) {
    return missing(requests.missing() + " before the connection to " + Endpoint.shown(source.uri)
        + " ended: " + why);
  }

  /** Returns the failure of missing responses. A protocol violation explains them best. */
  private Failure missing(String otherwise) {
    return violation == null ? Failure.lost(otherwise) : Failure.protocol(source.uri, violation);
  }

  private void note(String what) {
    violation = violation == null ? what : violation;
  }

  private void take(byte[] frame, Requests requests, Conversation peer)
      throws InterruptedException {
    heard = true;
    Json json;
    try {
      json = Json.parse(frame);
    } catch (JsonException e) {
      note("it sent a text that is not JSON: '" + JsonText.excerpt(new String(frame, UTF_8)) + "'");
      return;
    }
    boolean alone = json.kind() != Json.Kind.ARRAY;
    for (Json element : alone ? List.of(json) : json.elements()) {
      Message message = message(element);
      if (message instanceof Response response) {
        answer(element, response, requests);
        if (alone && response.error() != null && response.id().isNull()) {
          requests.refused();
        }
      } else if (message instanceof Request request) {
        RpcError error = new RpcError(RpcError.METHOD_NOT_FOUND, "Method not found");
        peer.say(JsonRpc.write(Response.of(request.id(), error)), connection.left());
      } else if (message instanceof Notification notification) {
        showProgress(notification);
      }
    }
  }

  private Message message(Json element) {
    try {
      if (element.kind() == Json.Kind.OBJECT) {
        for (Message message : JsonRpc.read(element.toBytes())) {
          return message;
        }
      }
    } catch (ProtocolException e) {
      throw Failure.protocol(source.uri, Failure.reason(e));
    }
    throw Failure.protocol(
        source.uri,
        "it sent JSON that is not a JSON-RPC message: "
            + JsonText.excerpt(JsonLayout.ONE_LINE.text(element)));
  }

  private void answer(Json text, Response response, Requests requests) {
    read &= stdio.line(JsonLayout.ONE_LINE.text(text).getBytes(UTF_8));
    exit = response.error() == null ? exit : Exit.ERROR_RESPONSE;
    if (!requests.answer(response) && !response.id().isNull()) {
      note("it sent a response that matches no request, with id " + response.id());
    }
  }

  private void showProgress(Notification notification) {
    Json params = notification.params();
    if (params != null && notification.method().equals(Dialect.PLAIN.progressMethod())) {
      Json value = Dialect.PLAIN.progress(params);
      if (value != null) {
        stdio.progress().show(value);
      }
    }
  }
}
