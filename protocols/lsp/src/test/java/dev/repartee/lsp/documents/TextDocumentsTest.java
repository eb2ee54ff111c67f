package dev.repartee.lsp.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.lsp.types.*;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextDocumentsTest {
  private final TextDocuments documents = new TextDocuments(10_000);

  private void open(String uri, String text) {
    documents.open(
        new DidOpenTextDocumentParams(new TextDocumentItem(uri, LanguageKind.JAVA, 1, text)));
  }

  private TextDocument change(String uri, TextDocumentContentChangeEvent... changes) {
    return documents.change(new DidChangeTextDocumentParams(
        new VersionedTextDocumentIdentifier(uri, 2), List.of(changes)));
  }

  private static TextDocumentContentChangePartial insert(int line, String text) {
    return new TextDocumentContentChangePartial(
        new Range(new Position(line, 0), new Position(line, 0)), text);
  }

  private static void refuses(int code, String why, Runnable use) {
    assertThatThrownBy(use::run)
        .isInstanceOfSatisfying(RpcException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }

  private static InitializeParams offering(PositionEncodingKind... encodings) {
    return new InitializeParams(
        null,
        null,
        new ClientCapabilities()
            .withGeneral(
                new GeneralClientCapabilities().withPositionEncodings(List.of(encodings))));
  }

  @Test
  void theFirstKnownEncodingOfTheClientIsChosen() {
    PositionEncodingKind other = new PositionEncodingKind("utf-7");

    ServerCapabilities capabilities = documents.capabilities(
        offering(other, PositionEncodingKind.UTF32, PositionEncodingKind.UTF16));

    assertThat(capabilities.positionEncoding()).isEqualTo(PositionEncodingKind.UTF32);
    assertThat(((TextDocumentSyncOptions) capabilities.textDocumentSync()).change())
        .isEqualTo(TextDocumentSyncKind.INCREMENTAL);
    open("file:///a", "");
    assertThat(documents.get("file:///a").encoding()).isEqualTo(PositionEncodingKind.UTF32);
    assertThat(documents.capabilities(offering(other)).positionEncoding())
        .isEqualTo(PositionEncodingKind.UTF16);
    assertThat(documents
            .capabilities(new InitializeParams(null, null, new ClientCapabilities()))
            .positionEncoding())
        .isEqualTo(PositionEncodingKind.UTF16);
  }

  @Test
  void aDocumentIsOpenedChangedAndClosed() {
    open("file:///a", "one\n");
    TextDocument first = documents.get("file:///a");
    TextDocument second = change("file:///a", insert(1, "two\n"));

    assertThat(documents.get("file:///a")).isSameAs(second);
    assertThat(second.text()).isEqualTo("one\ntwo\n");
    assertThat(first.text()).isEqualTo("one\n");
    assertThat(documents.isCurrent(first)).isFalse();
    assertThat(documents.isCurrent(second)).isTrue();
    assertThat(documents.all()).containsExactly(second);
    documents.close(new DidCloseTextDocumentParams(new TextDocumentIdentifier("file:///a")));
    assertThat(documents.find("file:///a")).isNull();
    refuses(-32602, "file:///a is not open", () -> documents.get("file:///a"));
    refuses(-32602, "file:///a is not open", () -> change("file:///a", insert(0, "")));
  }

  @Test
  void afterARefusedChangeTheTextIsUnknownUntilItIsSentAnew() {
    open("file:///a", "one\n");

    refuses(-32602, "9:0 is outside", () -> change("file:///a", insert(0, "x"), insert(9, "y")));
    refuses(
        -32803,
        "the text of file:///a is unknown, because the change to version 2 was refused",
        () -> documents.get("file:///a"));
    refuses(-32803, "is unknown", () -> change("file:///a", insert(0, "z")));
    change("file:///a", new TextDocumentContentChangeWholeDocument("new"), insert(0, "a "));
    assertThat(documents.get("file:///a").text()).isEqualTo("a new");
  }

  @Test
  void documentsPastTheLimitAreRefused() {
    open("file:///a", "a".repeat(5_000));

    refuses(-32803, "no room for file:///b with 5000", () -> open("file:///b", "b".repeat(5_000)));
    refuses(-32803, "no room for file:///b", () -> documents.get("file:///b"));
    refuses(-32803, "no room", () -> change("file:///a", insert(0, "a".repeat(5_000))));
    open("file:///a", "short");
    open("file:///b", "b".repeat(5_000));
    assertThat(documents.get("file:///b").length()).isEqualTo(5_000);
    for (int i = 0; i < 100; i++) {
      int number = i;
      try {
        open("file:///" + number, "");
      } catch (RpcException full) {
        assertThat(documents.all()).hasSizeLessThan(40);
      }
    }
  }
}
