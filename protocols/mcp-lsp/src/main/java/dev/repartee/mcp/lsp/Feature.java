package dev.repartee.mcp.lsp;

import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.mcp.workspace.ToolSchemas;
import dev.repartee.transport.DisconnectedException;
import org.jspecify.annotations.Nullable;

/** The tools, each with the feature of the server that it needs. */
enum Feature {
  HOVER(
      "hover",
      "hoverProvider",
      "textDocument/hover",
      "Shows the type, the signature and the documentation of the symbol at a position.",
      Schemas.position(""),
      Schemas.HOVER,
      Toolbox::hover),
  DEFINITION(
      "definition",
      "definitionProvider",
      "textDocument/definition",
      "Finds the definition of the symbol at a position."),
  DECLARATION(
      "declaration",
      "declarationProvider",
      "textDocument/declaration",
      "Finds the declaration of the symbol at a position, such as the prototype in a header."),
  TYPE_DEFINITION(
      "type_definition",
      "typeDefinitionProvider",
      "textDocument/typeDefinition",
      "Finds the definition of the type of the symbol at a position."),
  IMPLEMENTATION(
      "implementation",
      "implementationProvider",
      "textDocument/implementation",
      "Finds the implementations of the interface or of the abstract method at a position."),
  REFERENCES(
      "references",
      "referencesProvider",
      "textDocument/references",
      "Finds all uses of the symbol at a position, in all files of the project. More precise than a"
          + " search for text.",
      Schemas.position(Schemas.LIMIT + ",\"includeDeclaration\":{\"type\":\"boolean\","
          + "\"description\":\"Whether the declaration counts as a use. Default: true.\"}"),
      Schemas.LOCATIONS,
      Toolbox::references),
  DIAGNOSTICS(
      "diagnostics",
      null,
      null,
      "Shows the errors and warnings of a file: use it after each change of a file. Without a file:"
          + " those of all files that the language server has reported so far.",
      ToolSchemas.object("", Schemas.FILE + "," + Schemas.LIMIT),
      Schemas.DIAGNOSTICS,
      Toolbox::diagnostics),
  DOCUMENT_SYMBOLS(
      "document_symbols",
      "documentSymbolProvider",
      "textDocument/documentSymbol",
      "Lists the classes, functions and other symbols of a file, with their lines.",
      ToolSchemas.object("\"file\"", Schemas.FILE + "," + Schemas.LIMIT),
      Schemas.SYMBOLS,
      Toolbox::documentSymbols),
  WORKSPACE_SYMBOLS(
      "workspace_symbols",
      "workspaceSymbolProvider",
      "workspace/symbol",
      "Finds classes, functions and other symbols of the project by name.",
      ToolSchemas.object(
          "\"query\"",
          "\"query\":{\"type\":\"string\",\"description\":\"The name, or a part of it.\"},"
              + "\"file\":{\"type\":\"string\",\"description\":\"Any file of the project to open"
              + " first. Some language servers know no project before.\"}," + Schemas.LIMIT),
      Schemas.SYMBOLS,
      Toolbox::workspaceSymbols),
  RENAME(
      "rename",
      "renameProvider",
      "textDocument/rename",
      "Renames the symbol at a position in all files of the project. Returns the changes",
      Json.EMPTY_OBJECT, // see tool()
      Schemas.CHANGES,
      Toolbox::rename) {
    @Override
    Tool tool(Toolbox box, boolean writes) {
      String name = "\"newName\":{\"type\":\"string\",\"minLength\":1,"
          + "\"description\":\"The new name of the symbol.\"}";
      String apply = ",\"apply\":{\"type\":\"boolean\",\"description\":\"True to write the files;"
          + " false, the default, to see the changes only.\"}";
      return builder(description
              + (writes ? ", and writes them if 'apply' is true." : "; writes no file."))
          .input(Schemas.position(name + (writes ? apply : ""), ",\"newName\""))
          .readOnly(!writes)
          .destructive(writes)
          .handle((call, arguments) -> guarded(box, call, arguments));
    }
  };

  /** The implementation of a tool. */
  private interface Action {
    Answer run(Toolbox box, McpCall call, Json arguments) throws InterruptedException;
  }

  final String description;
  private final String tool;
  private final @Nullable String capability;
  private final @Nullable String method;
  private final Json input;
  private final Json output;
  private final Action action;

  Feature(String tool, String capability, String method, String description) {
    this(
        tool,
        capability,
        method,
        description,
        Schemas.position(Schemas.LIMIT),
        Schemas.LOCATIONS,
        (box, call, arguments) -> box.locations(call, arguments, method));
  }

  /**
   * @param capability the member of the capabilities that announces the feature; null if every
   *     server has it
   */
  Feature(
      String tool,
      @Nullable String capability,
      @Nullable String method,
      String description,
      Json input,
      Json output,
      Action action) {
    this.tool = tool;
    this.capability = capability;
    this.method = method;
    this.description = description;
    this.input = input;
    this.output = output;
    this.action = action;
  }

  String toolName() {
    return tool;
  }

  boolean isOf(Features features) {
    return capability == null || method == null || features.has(capability, method);
  }

  /** {@code writes} is whether tools may write files. */
  Tool tool(Toolbox box, boolean writes) {
    return builder(description)
        .input(input)
        .readOnly(true)
        .handle((call, arguments) -> guarded(box, call, arguments));
  }

  /** Runs the tool; reports to the model that the language server is busy, or has ended. */
  ToolResult guarded(Toolbox box, McpCall call, Json arguments) throws InterruptedException {
    try {
      return action.run(box, call, arguments).result();
    } catch (DisconnectedException | LimitException e) {
      throw Session.failure(tool, e);
    }
  }

  Tool.Builder builder(String text) {
    return Tool.named(tool).description(text).output(output).idempotent(true).openWorld(false);
  }
}
