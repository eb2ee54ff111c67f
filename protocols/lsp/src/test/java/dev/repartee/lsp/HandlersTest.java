package dev.repartee.lsp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HandlersTest {
  private static class Words
      implements DidOpenTextDocumentHandler, HoverHandler, CompletionHandler {
    final BlockingQueue<String> opened = new LinkedBlockingQueue<>();

    @Override
    public void didOpenTextDocument(DidOpenTextDocumentParams params) {
      opened.add(params.textDocument().text());
    }

    @Override
    public @Nullable Hover hover(HoverParams params) {
      return params.position().line() == 0
          ? null
          : new Hover(new MarkupContent(MarkupKind.MARKDOWN, "**word**"));
    }

    @Override
    public CompletionResult completion(CompletionParams params) {
      return CompletionResult.of(List.of(new CompletionItem("word")));
    }
  }

  private final Words words = new Words();
  private Server server;
  private Peer peer;
  private LanguageServer proxy;

  @BeforeEach
  void connect() throws Exception {
    String uri = "mem:lsp-" + System.identityHashCode(this);
    server = Repartee.listen(uri, Service.of(words));
    peer = Repartee.connect(uri);
    proxy = peer.proxy(LanguageServer.class);
  }

  @AfterEach
  void close() {
    peer.close();
    server.close();
  }

  private static HoverParams at(int line) {
    return new HoverParams(new TextDocumentIdentifier("file:///a"), new Position(line, 3));
  }

  @Test
  void aServerThatPrintsTextBetweenItsMessagesGetsNoAnswerToIt() throws Exception {
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    Options watching = LspServer.options()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            answers.add(violation);
          }
        })
        .build();
    PeerFactory factory = channel -> {
      Peer peer = Peer.open(channel, Service.of(words), watching);
      channel.send("Starting server".getBytes(UTF_8));
      return peer;
    };
    String uri = "mem:talkative-" + System.identityHashCode(this);
    PublishDiagnosticsHandler editor = diagnostics -> {};
    try (Server talkative = Repartee.listen(uri, factory, Options.DEFAULT);
        LspClient client = LspClient.connect(uri, editor)) {
      assertThat(client
              .server()
              .completion(new CompletionParams(
                  new TextDocumentIdentifier("file:///a"), new Position(0, 0))))
          .isNotNull();
      assertThat(answers).as("messages that the server did not expect").isEmpty();
      talkative.close(Duration.ZERO); // it ignores "exit", for which the client would wait
    }
  }

  @Test
  void onlyTheMethodsThatAnApplicationImplementsAreServed() {
    assertThat(Service.of(words).methods().stream().map(RpcMethod::name))
        .containsExactlyInAnyOrder(
            "textDocument/completion", "textDocument/didOpen", "textDocument/hover");
    assertThatThrownBy(() -> proxy.rename(
            new RenameParams(new TextDocumentIdentifier("file:///a"), new Position(0, 0), "b")))
        .isInstanceOfSatisfying(
            RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32601));
  }

  @Test
  void aProxyCallsAServer() {
    assertThat(proxy.hover(at(1)))
        .isEqualTo(new Hover(new MarkupContent(MarkupKind.MARKDOWN, "**word**")));
    assertThat(proxy.hover(at(0))).isNull();
    assertThat(proxy.completion(
            new CompletionParams(new TextDocumentIdentifier("file:///a"), new Position(0, 0))))
        .isEqualTo(CompletionResult.of(List.of(new CompletionItem("word"))));
  }

  @Test
  void aProxySendsNotifications() throws Exception {
    proxy.didOpenTextDocument(new DidOpenTextDocumentParams(
        new TextDocumentItem("file:///a", LanguageKind.JAVA, 1, "text")));

    assertThat(words.opened.poll(60, TimeUnit.SECONDS)).isEqualTo("text");
  }

  @Test
  void anAsynchronousProxyReturnsFutures() {
    AsyncLanguageServer async = peer.proxy(AsyncLanguageServer.class);

    assertThat(async.hover(at(1)).join())
        .isEqualTo(new Hover(new MarkupContent(MarkupKind.MARKDOWN, "**word**")));
  }

  @Test
  void bothSidesHaveAProxy() {
    assertThat(peer.proxy(LanguageClient.class)).isNotNull();
    assertThat(peer.proxy(AsyncLanguageClient.class)).isNotNull();
  }
}
