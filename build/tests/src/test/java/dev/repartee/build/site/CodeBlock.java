package dev.repartee.build.site;

import static dev.repartee.build.site.Markdown.escaped;

import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.jspecify.annotations.Nullable;

/**
 * Writes blocks of code, with marks for comments, strings, keywords and the like. Pictures and
 * output, which nobody copies, have another class.
 */
record CodeBlock(HtmlNodeRendererContext context) implements NodeRenderer {
  private static final String STRING =
      "(?<string>\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*')";

  /** A comment, not the fragment of a URI. */
  private static final String HASH_COMMENT = "(?<comment>(?<!\\S)#[^\\n]*)";

  private static final Pattern C_LIKE =
      Pattern.compile("(?<comment>//[^\\n]*|/\\*(?s:.*?)\\*/|(?m:^--[^\\n]*))|" + STRING
          + "|(?<name>@\\w+)"
          + "|\\b(?<keyword>abstract|boolean|byte|case|catch|char|class|const|default|do|double|else"
          + "|enum|extends|false|final|finally|float|for|function|if|implements|import|instanceof|int"
          + "|interface|local|long|new|null|package|permits|private|protected|public|record|return"
          + "|sealed|static|super|switch|synchronized|this|throw|throws|true|try|val|var|void"
          + "|volatile|while)\\b");

  /** A program of the pages, at the begin of a line. */
  private static final String COMMAND =
      "(?m:^)(?:\\$ |(?:\\./|build/|examples/)[\\w./-]+|repartee(?= [a-z])"
          + "|(?:apt|createdb|createuser|curl|dpkg|echo|export|git|java|jbang|mkdir|nats|nats-server"
          + "|node|npm|openssl|podman)(?= ))";

  private static final Pattern SHELL = Pattern.compile(HASH_COMMENT + "|" + STRING
      + "|(?<name>(?<=\\s)--?[a-zA-Z][\\w-]*)|(?<keyword>" + COMMAND + ")");
  private static final Pattern XML = Pattern.compile("(?<comment><!--(?s:.*?)-->)|" + STRING
      + "|(?<keyword></?[\\w:.-]+|/?>)|(?<name>(?<=\\s)[\\w:.-]+(?==))");
  private static final Pattern JSON =
      Pattern.compile("(?<name>\"(?:\\\\.|[^\"\\\\\\n])*\"(?=\\s*:))|" + STRING
          + "|\\b(?<keyword>true|false|null)\\b|(?<comment>(?!))"); // JSON has no comments
  private static final Pattern HASH =
      Pattern.compile(HASH_COMMENT + "|" + STRING + "|(?<name>(?m:^)[ -]*[\\w-]+(?=:\\s))"
          + "|\\b(?<keyword>def|class|import|from|return|for|in|if|else|true|false|null)\\b");

  /** A block without a language is one of a shell if it has a command. */
  private static final Pattern HAS_COMMAND = Pattern.compile(COMMAND);

  private static @Nullable Pattern language(String name, String code) {
    return switch (name) {
      case "java", "kotlin", "ts", "js", "lua" -> C_LIKE;
      case "sh" -> SHELL;
      case "xml" -> XML;
      case "json" -> JSON;
      case "python", "yaml" -> HASH;
      case "" -> HAS_COMMAND.matcher(code).find() ? SHELL : code.startsWith("{\"") ? JSON : null;
      default -> null;
    };
  }

  @Override
  public Set<Class<? extends Node>> getNodeTypes() {
    return Set.of(FencedCodeBlock.class);
  }

  @Override
  public void render(Node node) {
    FencedCodeBlock block = (FencedCodeBlock) node;
    String code = block.getLiteral();
    String name = language(block);
    Pattern language = language(name, code);
    context.getWriter().line();
    context
        .getWriter()
        .raw("<div class=\"" + (language == null && name.isEmpty() ? "plain" : "code")
            + "\"><pre tabindex=\"0\"><code>"
            + (language == null ? escaped(code) : marked(code, language)) + "</code></pre></div>");
    context.getWriter().line();
  }

  /** Returns the language of a block, without the further words after its fence. */
  static String language(FencedCodeBlock block) {
    return Objects.requireNonNullElse(block.getInfo(), "").split(" ", 2)[0];
  }

  private static String marked(String code, Pattern language) {
    StringBuilder html = new StringBuilder();
    Matcher token = language.matcher(code);
    int at = 0;
    while (token.find()) {
      html.append(escaped(code.substring(at, token.start())));
      String kind = Stream.of("comment", "string", "name", "keyword")
          .filter(each -> token.group(each) != null)
          .findFirst()
          .orElseThrow();
      html.append("<span class=\"%s\">%s</span>".formatted(kind, escaped(token.group())));
      at = token.end();
    }
    return html.append(escaped(code.substring(at))).toString();
  }
}
