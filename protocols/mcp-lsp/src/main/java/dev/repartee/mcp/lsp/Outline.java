package dev.repartee.mcp.lsp;

import dev.repartee.internal.Text;
import dev.repartee.lsp.types.DocumentSymbol;
import dev.repartee.lsp.types.Location;
import dev.repartee.lsp.types.LocationUriOnly;
import dev.repartee.lsp.types.Position;
import dev.repartee.lsp.types.Range;
import dev.repartee.lsp.types.SymbolInformation;
import dev.repartee.lsp.types.SymbolKind;
import dev.repartee.lsp.types.WorkspaceSymbol;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A list of symbols for an answer. For one thread. */
final class Outline {
  private static final String[] KINDS = {
    "symbol",
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter"
  };

  private static final Range START = new Range(new Position(0, 0), new Position(0, 0));

  private final List<Map<String, Object>> symbols = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private int total;

  private final Places places;
  private final String uri;
  private final int limit;

  Outline(Places places, String uri, int limit) {
    this.places = places;
    this.uri = uri;
    this.limit = limit;
  }

  boolean isEmpty() {
    return symbols.isEmpty();
  }

  /** Returns the symbols up to the limit. */
  List<Map<String, Object>> symbols() {
    return symbols;
  }

  /** Returns the number of all symbols, also those beyond the limit. */
  int total() {
    return total;
  }

  /** Returns the symbols as lines of text. */
  String text() {
    return Toolbox.lines(lines, total);
  }

  void add(DocumentSymbol symbol, String container, int depth) {
    add(
        symbol.name(),
        symbol.kind(),
        container,
        symbol.detail(),
        uri,
        symbol.selectionRange(),
        depth);
    List<DocumentSymbol> children = symbol.children();
    if (children != null) {
      children.forEach(child -> add(child, symbol.name(), depth + 1));
    }
  }

  void add(SymbolInformation symbol) {
    Location at = symbol.location();
    add(symbol.name(), symbol.kind(), symbol.containerName(), null, at.uri(), at.range(), 0);
  }

  void add(WorkspaceSymbol symbol) {
    String at = symbol.location() instanceof LocationUriOnly only ? only.uri() : "";
    Range range = START;
    if (symbol.location() instanceof Location location) {
      at = location.uri();
      range = location.range();
    }
    add(symbol.name(), symbol.kind(), symbol.containerName(), null, at, range, 0);
  }

  private void add(
      String name,
      SymbolKind kind,
      @Nullable String container,
      @Nullable String detail,
      String at,
      Range range,
      int depth) {
    if (++total > limit) {
      return;
    }
    Map<String, Object> symbol = new LinkedHashMap<>();
    symbol.put("name", Text.shortened(name, 300));
    symbol.put("kind", KINDS[kind.value() > 0 && kind.value() < KINDS.length ? kind.value() : 0]);
    if (container != null && !container.isEmpty()) {
      symbol.put("container", Text.shortened(container, 300));
    }
    if (detail != null && !detail.isEmpty()) {
      symbol.put("detail", Text.shortened(detail, 300));
    }
    symbol.putAll(places.of(at, range));
    symbols.add(symbol);
    lines.add("  ".repeat(Math.min(depth, 20)) + Places.shown(symbol) + ": " + symbol.get("kind")
        + " " + symbol.get("name")
        + (symbol.containsKey("detail") ? " " + symbol.get("detail") : "")
        + (depth == 0 && symbol.containsKey("container") ? " in " + symbol.get("container") : ""));
  }
}
