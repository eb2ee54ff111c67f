package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Stdio;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Writes the manual pages and the completion scripts for the folder {@code share} of a package. */
final class SharedFiles {
  private SharedFiles() {}

  /** Writes the files into the folder that the argument names. The build of the packages runs it. */
  public static void main(String[] args) throws IOException {
    Path share = Path.of(args[0]);
    List<CommandText> commands = Commands.texts(Stdio.ofProcess());
    for (CommandText command : commands) {
      Files.write(
          created(share.resolve("man/man1/" + ManPage.title(command) + ".1.gz")),
          compressed(ManPage.of(command)));
    }
    Files.writeString(
        created(share.resolve("bash-completion/completions/repartee")),
        CompletionScript.BASH.of(commands));
    Files.writeString(
        created(share.resolve("zsh/site-functions/_repartee")), CompletionScript.ZSH.of(commands));
    Files.writeString(
        created(share.resolve("fish/vendor_completions.d/repartee.fish")),
        CompletionScript.FISH.of(commands));
  }

  /** Compresses a page as {@code gzip -9n} does, which the policy of Debian requires. */
  private static byte[] compressed(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes) {
      {
        def.setLevel(Deflater.BEST_COMPRESSION);
      }
    }) {
      out.write(text.getBytes(UTF_8));
    }
    byte[] compressed = bytes.toByteArray();
    compressed[8] = 2; // XFL of RFC 1952: the best compression
    return compressed;
  }

  /** Creates the folder of a file. */
  private static Path created(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    return file;
  }
}
