package dev.repartee.cli.openrpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcException;
import dev.repartee.openrpc.generate.Generation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee generate}: writes code or a reference page for a server or a document. */
@Command(description = """
    Generates code that calls a server, or a reference page, from an OpenRPC document.
    java: an interface for Peer.proxy, with records, enums and sealed interfaces.
    typescript: one file without dependencies, with a client over HTTP and WebSocket.
    python: one module with clients, also for asyncio; only WebSocket needs a package, websockets.
    markdown, html: the methods with examples, and the types.\
    """, footer = """
          repartee generate java openrpc.json --package org.shop --output src
          repartee generate typescript http://127.0.0.1:8645/ --output web/src
          repartee generate python openrpc.json --name shop --output .
          repartee generate html openrpc.json --output site

        Exit codes: 0 ok, 2 usage, no valid document or files cannot be written, 3 cannot \
        connect, 4 timeout or connection lost, 5 the peer broke the protocol.\
        """)
public final class GenerateCommand extends Subcommand {
  private static final String PACKAGE = "[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*";

  @Parameters(index = "0", paramLabel = "FORM", description = """
      java, typescript, python, markdown or html.\
      """)
  Generation.@Nullable Form form;

  @Parameters(index = "1", paramLabel = "URI|FILE", description = DocumentOptions.SOURCE)
  String source = "";

  @Option(names = "--output", paramLabel = "DIR", required = true, description = """
      The folder for the files, which replace files of the same names. It is created if it does \
      not exist. Java files that an earlier run wrote there for the same title, and that are no \
      longer needed, are removed.\
      """)
  Path output = Path.of("");

  @Option(names = "--name", paramLabel = "NAME", description = """
      The name of the interface or client, and of the file. Default: the title of the document.\
      """)
  @Nullable String name;

  @Option(names = "--package", paramLabel = "NAME", description = """
      The package of Java code. Default: the name without separators.\
      """)
  @Nullable String packageName;

  @Mixin
  final DocumentOptions options = new DocumentOptions();

  @Override
  public Integer call() {
    if (form == null) {
      throw Failure.usage("name a form: java, typescript, python, markdown or html");
    }
    if (packageName != null && form != Generation.Form.JAVA) {
      throw Failure.usage("--package is for Java only");
    }
    if (packageName != null && !packageName.matches(PACKAGE)) {
      throw Failure.usage("'" + packageName + "' is no name of a package");
    }
    OpenRpc document = options.document(source, stdio);
    Map<String, String> files;
    try {
      files = new Generation(form, name, packageName).files(document);
    } catch (OpenRpcException e) {
      throw DocumentOptions.unusable(source, e);
    }
    write(files);
    int removed = form == Generation.Form.JAVA ? removeOld(document, files.keySet()) : 0;
    stdio.note((files.size() == 1
            ? "wrote " + output.resolve(files.keySet().iterator().next())
            : "wrote " + files.size() + " files to " + output)
        + (removed == 0 ? "" : ", and removed " + removed + " that an earlier run wrote"));
    return Exit.OK;
  }

  /**
   * Removes the Java files of earlier runs that this one did not write. They are beside the new
   * files, and their first line names the same title.
   */
  private int removeOld(OpenRpc document, Set<String> files) {
    byte[] header = Generation.javaHeader(document).getBytes(UTF_8);
    Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER); // as file systems may have it
    Set<Path> folders = new HashSet<>();
    for (String file : files) {
      Path target = output.resolve(file);
      names.add(target.getFileName().toString());
      folders.add(target.toAbsolutePath().getParent());
    }
    int removed = 0;
    try {
      for (Path folder : folders) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*.java")) {
          for (Path file : all) {
            if (!names.contains(file.getFileName().toString()) && startsWith(file, header)) {
              Files.delete(file);
              removed++;
            }
          }
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw Failure.usage(
          "the files of an earlier run cannot be removed from '" + output + "': " + e.getMessage());
    }
    return removed;
  }

  private static boolean startsWith(Path file, byte[] header) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(header.length), header);
    }
  }

  /** Writes all files under other names first, and then renames them. */
  private void write(Map<String, String> files) {
    List<Path> written = new ArrayList<>();
    try {
      for (Map.Entry<String, String> file : files.entrySet()) {
        Path target = output.resolve(file.getKey());
        Files.createDirectories(target.toAbsolutePath().getParent());
        Path temporary = target.resolveSibling(target.getFileName() + ".new");
        written.add(temporary);
        Files.write(temporary, file.getValue().getBytes(UTF_8));
      }
      for (String file : files.keySet()) {
        Path target = output.resolve(file);
        Path temporary = target.resolveSibling(target.getFileName() + ".new");
        Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      written.forEach(GenerateCommand::delete);
      throw Failure.usage("the files cannot be written to '" + output + "': " + Failure.reason(e));
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The failure to write is reported, which has the same cause.
    }
  }
}
