package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import java.io.File;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The MCP servers in a configuration file of a client: the member {@code mcpServers}, or
 * {@code servers} as in VS Code. Comments are allowed, and commas after the last element.
 */
final class ServersFile {
  /** The files that clients use; ~ is the home folder. */
  static final List<String> USUAL = List.of(
      ".mcp.json",
      "~/.claude.json",
      "~/.config/Claude/claude_desktop_config.json",
      "~/Library/Application Support/Claude/claude_desktop_config.json",
      "~/AppData/Roaming/Claude/claude_desktop_config.json",
      ".vscode/mcp.json",
      ".cursor/mcp.json",
      "~/.cursor/mcp.json",
      "~/.codeium/windsurf/mcp_config.json",
      "~/.gemini/settings.json");

  private static final int MAX_FILE = 16 << 20;

  /** The maximum number of servers. */
  private static final int MOST = 64;

  private static final Set<String> KNOWN =
      Set.of("command args env cwd url serverUrl httpUrl type headers disabled".split(" "));

  private static final Set<String> TYPES =
      Set.of("stdio", "http", "sse", "streamable-http", "streamableHttp");

  /** The schemes of a URL, for servers in a network or at a socket of this machine. */
  private static final List<String> SCHEMES =
      List.of("http", "https", "ws", "wss", "tcp", "tls", "unix");

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}]*)}");

  /**
   * A server.
   *
   * @param name the name in the file
   * @param uri the endpoint; empty for a faulty entry
   * @param headers the headers of HTTP requests
   * @param fault the reason why the server cannot be used, or null
   * @param ignored the members without a meaning for this command
   * @param disabled whether the file turns the server off
   */
  record Entry(
      String name,
      String uri,
      Headers headers,
      @Nullable String fault,
      Set<String> ignored,
      boolean disabled) {}

  private final Function<String, @Nullable String> variables;

  /** Creates a reader that uses these environment variables. */
  ServersFile(Function<String, @Nullable String> variables) {
    this.variables = variables;
  }

  /** Reads the servers of a file. */
  List<Entry> read(String file) {
    byte[] text = InputFile.bytes(file, MAX_FILE, "holds " + MAX_FILE + " bytes or more", "");
    byte[] strict = strict(new String(text, UTF_8)).getBytes(UTF_8);
    Json json = JsonText.parse(strict, "'" + file + "' is not JSON: ");
    Json servers = json.get("mcpServers");
    if (servers == null) {
      servers = json.get("servers");
    }
    if (servers == null || servers.kind() != Json.Kind.OBJECT) {
      throw Failure.usage("'" + file
          + "' has no object 'mcpServers' or 'servers', such as {\"mcpServers\":{\"shop\":"
          + "{\"command\":\"node\",\"args\":[\"shop.js\"]}}}");
    }
    List<Entry> entries = new ArrayList<>();
    servers.members().forEach((name, server) -> entries.add(entry(name, server)));
    if (entries.isEmpty() || entries.size() > MOST) {
      throw Failure.usage("'" + file + "' has " + entries.size() + " servers; this command takes 1"
          + " to " + MOST);
    }
    return entries;
  }

  /** Removes comments, and commas before a closing bracket, outside of strings. */
  static String strict(String text) {
    StringBuilder strict = new StringBuilder(text.length());
    int comma = -1; // the position of a comma without a following element so far
    for (int i = 0; i < text.length(); ) {
      char c = text.charAt(i);
      int end = i + 1;
      if (text.startsWith("//", i)) {
        end = after(text, "\n", i);
      } else if (text.startsWith("/*", i)) {
        end = after(text, "*/", i + 2);
      } else {
        end = c == '"' ? endOfString(text, i) : end;
        if (comma >= 0 && (c == '}' || c == ']')) {
          strict.setCharAt(comma, ' ');
        }
        comma = c == ',' ? strict.length() : Character.isWhitespace(c) ? comma : -1;
        strict.append(text, i, end);
      }
      i = end;
    }
    return strict.toString();
  }

  private static int after(String text, String mark, int from) {
    int found = text.indexOf(mark, from);
    return found < 0 ? text.length() : found + mark.length();
  }

  private static int endOfString(String text, int quote) {
    int i = quote + 1;
    while (i < text.length() && text.charAt(i) != '"') {
      i += text.charAt(i) == '\\' ? 2 : 1;
    }
    return Math.min(text.length(), i + 1);
  }

  private Entry entry(String name, Json server) {
    Set<String> ignored = new TreeSet<>(SchemaText.members(server).keySet());
    ignored.removeAll(KNOWN);
    boolean disabled = Json.TRUE.equals(server.get("disabled"));
    Headers headers = Headers.NONE;
    try {
      for (Map.Entry<String, Json> header :
          SchemaText.members(server.get("headers")).entrySet()) {
        headers = headers.with(header.getKey(), expanded(header.getValue().text()));
      }
      return new Entry(name, uri(server), headers, null, ignored, disabled);
    } catch (IllegalArgumentException e) {
      return unusable(name, "a header is invalid; values are printable ASCII", ignored, disabled);
    } catch (Failure e) {
      return unusable(name, e.sentence(), ignored, disabled);
    }
  }

  private static Entry unusable(String name, String fault, Set<String> ignored, boolean disabled) {
    return new Entry(name, "", Headers.NONE, fault, ignored, disabled);
  }

  private String uri(Json server) {
    String type = server.string("type");
    if (type != null && !TYPES.contains(type)) {
      throw Failure.usage("the type '" + type + "' is unknown; known are stdio, http and sse");
    }
    String command = server.string("command");
    String url = null;
    for (String member : List.of("url", "serverUrl", "httpUrl")) {
      url = url == null ? server.string(member) : url;
    }
    if ((command == null) == (url == null)) {
      throw Failure.usage("it needs either a 'command' or a 'url'");
    }
    return command == null ? address(expanded(String.valueOf(url))) : process(server, command);
  }

  /** Returns the address of a running server. */
  private static String address(String url) {
    String scheme;
    try {
      scheme = Endpoint.parse(url).scheme();
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
    if (!SCHEMES.contains(scheme)) {
      throw Failure.usage("a 'url' cannot begin with '" + scheme + ":', only with "
          + String.join(":, ", SCHEMES) + ":; a program is a 'command' with 'args'");
    }
    return url;
  }

  private String process(Json server, String command) {
    JsonWriter words = new JsonWriter().put('[').string(expanded(command));
    for (String word : SchemaText.texts(server.get("args"))) {
      words.put(',').string(expanded(word));
    }
    StringBuilder uri = new StringBuilder("exec:").append(words.put(']'));
    char separator = '#';
    String folder = server.string("cwd");
    if (folder != null) {
      uri.append(separator).append("cwd=").append(encoded(expanded(folder)));
      separator = '&';
    }
    Map<String, Json> environment = SchemaText.members(server.get("env"));
    String before = separator + "env=";
    for (Map.Entry<String, Json> variable : environment.entrySet()) {
      uri.append(before)
          .append(encoded(variable.getKey()))
          .append('=')
          .append(encoded(expanded(variable.getValue().text())));
      before = ",";
    }
    return uri.toString();
  }

  /** Percent-encodes all characters that an option of a URI may not have. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  /**
   * Expands {@code ${VAR}}, {@code ${VAR:-default}}, {@code ${env:VAR}}, and the folders of VS Code.
   *
   * @throws Failure if a variable has no value; the message shows no value
   */
  private String expanded(String text) {
    Matcher variable = VARIABLE.matcher(text);
    return variable.replaceAll(found -> Matcher.quoteReplacement(valueOf(found.group(1))));
  }

  private String valueOf(String expression) {
    String place = switch (expression) {
      case "workspaceFolder", "cwd" -> Path.of("").toAbsolutePath().toString();
      case "userHome" -> System.getProperty("user.home");
      case "pathSeparator", "/" -> File.separator;
      default -> null;
    };
    if (place != null) {
      return place;
    } else if (expression.startsWith("input:")) {
      throw Failure.usage("${" + expression + "} asks the user in VS Code; put ${env:NAME} into the"
          + " file, and the value into this environment variable");
    }
    String name = expression.startsWith("env:") ? expression.substring(4) : expression;
    int otherwise = name.indexOf(":-");
    String value = variables.apply(otherwise < 0 ? name : name.substring(0, otherwise));
    if (value != null) {
      return value;
    } else if (otherwise >= 0) {
      return name.substring(otherwise + 2);
    }
    throw Failure.usage("the environment variable '" + name + "' is not set");
  }
}
