package dev.repartee.mcp.lsp;

import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonType;
import dev.repartee.lsp.types.Hover;
import dev.repartee.lsp.types.HoverContents;
import dev.repartee.lsp.types.MarkedString;
import dev.repartee.lsp.types.MarkedStringWithLanguage;
import dev.repartee.lsp.types.MarkupContent;
import org.jspecify.annotations.Nullable;

/** The text of a hover. */
final class HoverText {
  private static final int LONGEST = 20_000;
  private static final JsonType<MarkedString> PART = JsonType.of(MarkedString.class);

  private HoverText() {}

  /**
   * Returns the text, truncated to 20,000 characters, or an empty string. Reads only the first
   * strings of a list, because millions of short Java strings need many times the memory of their
   * text.
   *
   * @param hover the answer to {@code textDocument/hover}, or null
   * @throws JsonException if the part that is read is not a hover
   */
  static String of(@Nullable Json hover) {
    Json contents = hover == null ? null : hover.get("contents");
    if (contents != null && contents.kind() == Json.Kind.ARRAY) {
      return Text.shortened(joined(contents.toBytes()).strip(), LONGEST);
    }
    Hover whole = hover == null ? null : hover.as(Hover.class);
    return whole == null ? "" : Text.shortened(words(whole.contents()).strip(), LONGEST);
  }

  private static String joined(byte[] list) {
    StringBuilder text = new StringBuilder();
    JsonReader in = new JsonReader(list, 0, list.length);
    in.enterArray();
    while (text.length() <= LONGEST && in.more()) {
      String part = words(in.value(PART));
      text.append(text.isEmpty() ? part.stripLeading() : "\n\n" + part);
    }
    return text.toString();
  }

  private static String words(HoverContents contents) {
    if (contents instanceof MarkupContent markup) {
      return markup.value();
    } else if (contents instanceof MarkedStringWithLanguage code) {
      return "```" + code.language() + "\n" + code.value() + "\n```";
    }
    return contents instanceof MarkedString.OfString plain ? plain.value() : "";
  }
}
