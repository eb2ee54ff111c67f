package dev.repartee.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.ResourceContents;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Prints the content blocks of a server: texts as they are, and files as one line each or into a
 * folder.
 */
final class ContentOutput {
  /** The maximum number of files of one name. */
  private static final int MOST = 10_000;

  private static final Map<String, String> EXTENSIONS = Map.ofEntries(
      Map.entry("image/png", "png"),
      Map.entry("image/jpeg", "jpg"),
      Map.entry("image/gif", "gif"),
      Map.entry("image/webp", "webp"),
      Map.entry("image/svg+xml", "svg"),
      Map.entry("audio/wav", "wav"),
      Map.entry("audio/x-wav", "wav"),
      Map.entry("audio/mpeg", "mp3"),
      Map.entry("audio/ogg", "ogg"),
      Map.entry("application/json", "json"),
      Map.entry("application/pdf", "pdf"),
      Map.entry("text/html", "html"),
      Map.entry("text/plain", "txt"));

  @Option(names = "--output", paramLabel = "DIR", description = """
          Save images, sounds and binary resources as files in this folder, with unused names. By \
          default each is described in a line.""")
  @Nullable String output;

  /**
   * The last number that was tried for each form of a name. Lower numbers are not tried again,
   * because a server may send thousands of files.
   */
  private final Map<String, Integer> last = new HashMap<>();

  /** Prints blocks to standard output. Stops when its reader has closed it. */
  void print(List<Content> content, Stdio stdio) {
    for (Content block : content) {
      if (!stdio.line(text(block).getBytes(UTF_8))) {
        return;
      }
    }
  }

  /** Returns the text of a block. Saves its bytes if a folder is given. */
  String text(Content block) {
    if (block instanceof Content.Text text) {
      return text.text();
    } else if (block instanceof Content.Image image) {
      return file("image", image.mimeType(), image.data());
    } else if (block instanceof Content.Audio audio) {
      return file("audio", audio.mimeType(), audio.data());
    } else if (block instanceof Content.Embedded embedded) {
      ResourceContents contents = embedded.contents();
      String blob = contents.blob();
      return blob == null
          ? String.valueOf(contents.text())
          : file("resource", contents.mimeType(), blob) + " of " + contents.uri();
    } else if (block instanceof Content.Link link) {
      Resource resource = link.resource();
      return "[resource " + resource.uri() + ": " + resource.name()
          + (resource.description() == null ? "" : ", " + resource.description()) + "]";
    }
    return block.json().toString();
  }

  private String file(String kind, @Nullable String type, String base64) {
    byte[] bytes = bytes(base64);
    String about = (type == null ? "" : type + ", ") + bytes.length + " bytes";
    return output == null
        ? "[" + kind + ": " + about + "; --output DIR saves it]"
        : "[" + kind + ": " + about + ", saved as " + save(output, kind, type, bytes) + "]";
  }

  private Path save(String folder, String kind, @Nullable String type, byte[] bytes) {
    String extension =
        EXTENSIONS.getOrDefault(String.valueOf(type).toLowerCase(Locale.ROOT), "bin");
    try {
      Path target = Files.createDirectories(Path.of(folder));
      String form = kind + "-%d." + extension;
      for (int i = last.getOrDefault(form, 0) + 1; i <= MOST; i++) {
        Path file = target.resolve(String.format(Locale.ROOT, form, i));
        last.put(form, i);
        try {
          return Files.write(file, bytes, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException taken) {
          // Tries the next name.
        }
      }
      throw Failure.usage("the folder '" + folder + "' is full; name an empty one");
    } catch (InvalidPathException e) {
      throw Failure.usage("--output: '" + folder + "' is not a folder");
    } catch (IOException e) {
      throw Failure.usage("--output: cannot write to '" + folder + "': " + Failure.reason(e));
    }
  }

  /** Decodes Base64. */
  static byte[] bytes(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new Failure(
          Exit.PROTOCOL,
          "the server broke the protocol: its data is not Base64: " + e.getMessage());
    }
  }
}
