package dev.repartee.generator;

import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Generates the types of LSP from its meta model. The build runs it before the compiler. */
public final class LspGenerator {
  private static final Map<String, String> UNIONS = Map.of(
      "STRING|MarkupContent", "StringOrMarkupContent",
      "INTEGER|STRING", "IntegerOrString",
      "FullDocumentDiagnosticReport|UnchangedDocumentDiagnosticReport",
          "RelatedDocumentDiagnosticReport",
      "STRING|NotebookDocumentFilter", "StringOrNotebookDocumentFilter",
      "BOOLEAN|JSON", "SemanticTokensRangeSupport",
      "TextEdit|AnnotatedTextEdit|SnippetTextEdit", "DocumentTextEdit",
      "TextDocumentEdit|CreateFile|RenameFile|DeleteFile", "DocumentChange",
      "Command|CodeAction", "CommandOrCodeAction",
      "Definition|LocationLinkList", "DefinitionResult",
      "Declaration|LocationLinkList", "DeclarationResult");

  private static final Map<String, String> UNION_METHODS = Map.of("StringOrMarkupContent", """
        /** Returns the text: the string itself, or the source of the markup. */
        default String text() {
          return this instanceof OfString plain ? plain.value() : ((MarkupContent) this).value();
        }

      """);

  private static final Protocol LSP = new Protocol(
      "dev.repartee.lsp",
      "LanguageServer",
      "LanguageClient",
      "language server",
      "language client",
      "a notification",
      "$/cancelRequest",
      Set.of("initialize", "shutdown"),
      UNIONS,
      UNION_METHODS,
      Set.of(),
      member -> false,
      false);

  private LspGenerator() {}

  /**
   * Expects four arguments: the file of the meta model, the folder of the sources, the folder of the
   * templates, and the file of the metadata for native images.
   */
  public static void main(String[] args) throws IOException {
    MetaModel model = Json.parse(Files.readAllBytes(Path.of(args[0]))).as(MetaModel.class);
    Generator.run(LSP, model, Path.of(args[1]), Path.of(args[2]), Path.of(args[3]));
  }
}
