package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.json.UnknownMembers;
import dev.repartee.message.Dialect;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

public class LanguageServer {
  record InitializeParams(Optional<Long> processId, Optional<String> rootUri) {}

  record TextDocument(String uri, String text) {}

  record DidOpenParams(TextDocument textDocument) {}

  record Position(int line, int character) {}

  record HoverParams(Position position) {}

  record Hover(String contents) {}

  record Range(Position start, Position end) {}

  record Diagnostic(Range range, String message) {}

  record Diagnostics(String uri, List<Diagnostic> diagnostics) {}

  static Diagnostics check(TextDocument document) {
    List<String> lines = document.text().lines().toList();
    IntStream found = IntStream.range(0, lines.size()).filter(i -> lines.get(i).contains("TODO"));
    return new Diagnostics(
        document.uri(),
        found
            .mapToObj(i -> new Diagnostic(
                new Range(new Position(i, 0), new Position(i + 1, 0)), "still to do"))
            .toList());
  }

  public static void main(String[] args) throws Exception {
    AtomicInteger status = new AtomicInteger(1);
    Service service = Service.builder()
        .method(
            "initialize",
            InitializeParams.class,
            Object.class,
            (params, call) ->
                Map.of("capabilities", Map.of("textDocumentSync", 1, "hoverProvider", true)))
        .method("initialized", call -> null)
        .method("textDocument/didOpen", DidOpenParams.class, Object.class, (params, call) -> {
          Diagnostics found = check(params.textDocument());
          call.peer().request("textDocument/publishDiagnostics").params(found).sendNotification();
          return null;
        })
        .method(
            "textDocument/hover",
            HoverParams.class,
            Hover.class,
            (p, call) -> new Hover("line " + p.position().line()))
        .method("workspace/executeCommand", call -> {
          call.cancellation().sleep(Duration.ofMinutes(1));
          return null;
        })
        .method("shutdown", call -> {
          status.set(0);
          return null;
        })
        .method("exit", call -> {
          System.exit(status.get());
          return null;
        })
        .build()
        .unknownParams(UnknownMembers.IGNORE);
    Dialect lsp = new Dialect() {
      @Override
      public String cancelMethod() {
        return "$/cancelRequest";
      }
    };
    Repartee.listen(
            "stdio:#framing=content-length",
            service,
            Options.builder().dialect(lsp).build())
        .join();
  }
}
