package dev.repartee.cli.openrpc;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Describes a language server by its capabilities: the requests of the Language Server Protocol that
 * it offers, with their main params.
 */
final class LanguageServer {
  private static final String DOCUMENT = "textDocument";
  private static final String POSITION = "position";
  private static final String RANGE = "range";

  /** A request of LSP with the capability that offers it. */
  private record Offer(String capability, String method, String summary, String... params) {}

  private static final List<Offer> OFFERS = List.of(
      new Offer(
          "completionProvider",
          "textDocument/completion",
          "Completion at a position",
          DOCUMENT,
          POSITION),
      new Offer(
          "hoverProvider",
          "textDocument/hover",
          "Information about the symbol at a position",
          DOCUMENT,
          POSITION),
      new Offer(
          "signatureHelpProvider",
          "textDocument/signatureHelp",
          "Signatures of the call at a position",
          DOCUMENT,
          POSITION),
      new Offer(
          "declarationProvider",
          "textDocument/declaration",
          "Declaration of a symbol",
          DOCUMENT,
          POSITION),
      new Offer(
          "definitionProvider",
          "textDocument/definition",
          "Definition of a symbol",
          DOCUMENT,
          POSITION),
      new Offer(
          "typeDefinitionProvider",
          "textDocument/typeDefinition",
          "Definition of the type of a symbol",
          DOCUMENT,
          POSITION),
      new Offer(
          "implementationProvider",
          "textDocument/implementation",
          "Implementations of a symbol",
          DOCUMENT,
          POSITION),
      new Offer(
          "referencesProvider",
          "textDocument/references",
          "References to a symbol",
          DOCUMENT,
          POSITION,
          "context"),
      new Offer(
          "documentHighlightProvider",
          "textDocument/documentHighlight",
          "Other places of a symbol in the document",
          DOCUMENT,
          POSITION),
      new Offer(
          "documentSymbolProvider",
          "textDocument/documentSymbol",
          "Symbols of a document",
          DOCUMENT),
      new Offer(
          "codeActionProvider",
          "textDocument/codeAction",
          "Actions for a range",
          DOCUMENT,
          RANGE,
          "context"),
      new Offer("codeLensProvider", "textDocument/codeLens", "Code lenses of a document", DOCUMENT),
      new Offer(
          "documentLinkProvider", "textDocument/documentLink", "Links of a document", DOCUMENT),
      new Offer("colorProvider", "textDocument/documentColor", "Colours of a document", DOCUMENT),
      new Offer(
          "documentFormattingProvider",
          "textDocument/formatting",
          "Formatting of a document",
          DOCUMENT,
          "options"),
      new Offer(
          "documentRangeFormattingProvider",
          "textDocument/rangeFormatting",
          "Formatting of a range",
          DOCUMENT,
          RANGE,
          "options"),
      new Offer(
          "renameProvider",
          "textDocument/rename",
          "Renaming of a symbol",
          DOCUMENT,
          POSITION,
          "newName"),
      new Offer(
          "foldingRangeProvider",
          "textDocument/foldingRange",
          "Ranges that can be folded",
          DOCUMENT),
      new Offer(
          "selectionRangeProvider",
          "textDocument/selectionRange",
          "Ranges around positions",
          DOCUMENT,
          "positions"),
      new Offer(
          "linkedEditingRangeProvider",
          "textDocument/linkedEditingRange",
          "Ranges that are edited together",
          DOCUMENT,
          POSITION),
      new Offer(
          "callHierarchyProvider",
          "textDocument/prepareCallHierarchy",
          "Item of the call hierarchy at a position",
          DOCUMENT,
          POSITION),
      new Offer(
          "typeHierarchyProvider",
          "textDocument/prepareTypeHierarchy",
          "Item of the type hierarchy at a position",
          DOCUMENT,
          POSITION),
      new Offer(
          "semanticTokensProvider",
          "textDocument/semanticTokens/full",
          "Semantic tokens of a document",
          DOCUMENT),
      new Offer(
          "inlayHintProvider", "textDocument/inlayHint", "Inlay hints in a range", DOCUMENT, RANGE),
      new Offer(
          "inlineValueProvider",
          "textDocument/inlineValue",
          "Inline values in a range",
          DOCUMENT,
          RANGE,
          "context"),
      new Offer(
          "diagnosticProvider", "textDocument/diagnostic", "Diagnostics of a document", DOCUMENT),
      new Offer("workspaceSymbolProvider", "workspace/symbol", "Symbols of the workspace", "query"),
      new Offer(
          "executeCommandProvider",
          "workspace/executeCommand",
          "Runs a command of the server",
          "command"));

  private static final Map<String, Json> SCHEMAS = Map.of(
      DOCUMENT,
      Json.parse("""
              {"type":"object","required":["uri"],"properties":{"uri":{"type":"string"}}}"""),
      POSITION,
      Json.parse("""
              {"type":"object","required":["line","character"],"properties":{\
              "line":{"type":"integer","minimum":0},"character":{"type":"integer","minimum":0}}}"""),
      RANGE,
      Json.parse("{\"type\":\"object\",\"required\":[\"start\",\"end\"]}"),
      "positions",
      Json.parse("{\"type\":\"array\"}"),
      "newName",
      Json.parse("{\"type\":\"string\"}"),
      "query",
      Json.parse("{\"type\":\"string\"}"),
      "command",
      Json.parse("{\"type\":\"string\"}"));

  private static final Json OBJECT = Json.parse("{\"type\":\"object\"}");

  private LanguageServer() {}

  /** Returns the document for the result of {@code initialize}. */
  static Json document(Json initialized) {
    Json info = initialized.get("serverInfo");
    Json capabilities = initialized.get("capabilities");
    Described document = new Described(info);
    for (Offer offer : OFFERS) {
      if (capabilities != null && isOffered(capabilities.get(offer.capability))) {
        List<Json> params = new ArrayList<>();
        for (String param : offer.params) {
          params.add(Described.param(param, true, SCHEMAS.getOrDefault(param, OBJECT)));
        }
        document.add(
            offer.method,
            new JsonObjectBuilder()
                .put("summary", offer.summary)
                .put("paramStructure", "by-name")
                .put("params", params)
                .put("result", Described.result(Json.TRUE)));
      }
    }
    return document.json();
  }

  private static boolean isOffered(@Nullable Json capability) {
    return capability != null && !capability.equals(Json.FALSE) && !capability.isNull();
  }
}
