package dev.repartee.benchmarks.language;

import dev.repartee.lsp.LspServer;
import dev.repartee.lsp.handlers.DidChangeTextDocumentHandler;
import dev.repartee.lsp.handlers.HoverHandler;
import dev.repartee.lsp.handlers.InitializeHandler;
import dev.repartee.lsp.types.CompletionOptions;
import dev.repartee.lsp.types.DidChangeTextDocumentParams;
import dev.repartee.lsp.types.Hover;
import dev.repartee.lsp.types.HoverParams;
import dev.repartee.lsp.types.InitializeParams;
import dev.repartee.lsp.types.InitializeResult;
import dev.repartee.lsp.types.MarkupContent;
import dev.repartee.lsp.types.MarkupKind;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.ServerCapabilities;
import dev.repartee.lsp.types.TextDocumentContentChangeWholeDocument;
import dev.repartee.lsp.types.TextDocumentSyncKind;
import java.util.concurrent.CompletableFuture;
import org.eclipse.lsp4j.launch.LSPLauncher;
import org.eclipse.lsp4j.services.LanguageServer;
import org.eclipse.lsp4j.services.TextDocumentService;
import org.eclipse.lsp4j.services.WorkspaceService;

/**
 * A language server on its standard streams, written like the library's own examples. The hover
 * shows the line and the length of the last text.
 */
final class LanguageServerMain {
  private LanguageServerMain() {}

  /** Serves with the library of that name until the end of its input. */
  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "repartee" -> System.exit(LspServer.run(new Repartee()));
      case "lsp4j" -> Lsp4jMain.run();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static String text(int line, int length) {
    return "**line** " + line + " of " + length;
  }

  /** The server with {@code protocols/lsp}. */
  public static final class Repartee
      implements InitializeHandler, DidChangeTextDocumentHandler, HoverHandler {
    private volatile int length;

    @Override
    public InitializeResult initialize(InitializeParams params) {
      return new InitializeResult(new ServerCapabilities()
          .withHoverProvider(true)
          .withTextDocumentSync(TextDocumentSyncKind.FULL)
          .withCompletionProvider(new CompletionOptions())
          .withDefinitionProvider(true));
    }

    @Override
    public void didChangeTextDocument(DidChangeTextDocumentParams params) {
      if (params.contentChanges().get(0) instanceof TextDocumentContentChangeWholeDocument whole) {
        length = whole.text().length();
      }
    }

    @Override
    public Hover hover(HoverParams params) {
      Position at = params.position();
      return new Hover(new MarkupContent(MarkupKind.MARKDOWN, text(at.line(), length)))
          .withRange(new Range(at, new Position(at.line(), at.character() + 4)));
    }
  }

  /** In a class of its own, so that the other program does not need LSP4J on its class path. */
  private static final class Lsp4jMain
      implements LanguageServer, TextDocumentService, WorkspaceService {
    private volatile int length;

    static void run() throws Exception {
      LSPLauncher.createServerLauncher(new Lsp4jMain(), System.in, System.out)
          .startListening()
          .get();
    }

    @Override
    public CompletableFuture<org.eclipse.lsp4j.InitializeResult> initialize(
        org.eclipse.lsp4j.InitializeParams params) {
      org.eclipse.lsp4j.ServerCapabilities all = new org.eclipse.lsp4j.ServerCapabilities();
      all.setHoverProvider(true);
      all.setTextDocumentSync(org.eclipse.lsp4j.TextDocumentSyncKind.Full);
      all.setCompletionProvider(new org.eclipse.lsp4j.CompletionOptions());
      all.setDefinitionProvider(true);
      return CompletableFuture.completedFuture(new org.eclipse.lsp4j.InitializeResult(all));
    }

    @Override
    public CompletableFuture<org.eclipse.lsp4j.Hover> hover(org.eclipse.lsp4j.HoverParams params) {
      org.eclipse.lsp4j.Position at = params.getPosition();
      return CompletableFuture.completedFuture(new org.eclipse.lsp4j.Hover(
          new org.eclipse.lsp4j.MarkupContent("markdown", text(at.getLine(), length)),
          new org.eclipse.lsp4j.Range(
              at, new org.eclipse.lsp4j.Position(at.getLine(), at.getCharacter() + 4))));
    }

    @Override
    public void didChange(org.eclipse.lsp4j.DidChangeTextDocumentParams params) {
      length = params.getContentChanges().get(0).getText().length();
    }

    @Override
    public CompletableFuture<Object> shutdown() {
      return CompletableFuture.completedFuture(new Object());
    }

    @Override
    public void exit() {
      System.exit(0);
    }

    @Override
    public TextDocumentService getTextDocumentService() {
      return this;
    }

    @Override
    public WorkspaceService getWorkspaceService() {
      return this;
    }

    @Override
    public void didOpen(org.eclipse.lsp4j.DidOpenTextDocumentParams params) {}

    @Override
    public void didClose(org.eclipse.lsp4j.DidCloseTextDocumentParams params) {}

    @Override
    public void didSave(org.eclipse.lsp4j.DidSaveTextDocumentParams params) {}

    @Override
    public void didChangeConfiguration(org.eclipse.lsp4j.DidChangeConfigurationParams params) {}

    @Override
    public void didChangeWatchedFiles(org.eclipse.lsp4j.DidChangeWatchedFilesParams params) {}
  }
}
