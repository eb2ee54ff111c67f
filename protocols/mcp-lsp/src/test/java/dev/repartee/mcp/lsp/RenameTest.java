package dev.repartee.mcp.lsp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.lsp.types.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tool {@code rename}: its edits are shown, or written as a whole. */
class RenameTest extends LanguageToolsFixture {
  private String edit(String uri, int line, int start, int end) {
    return """
        {"textDocument":{"uri":"%s","version":null},"edits":[{"range":%s,"newText":"size"}]}\
        """.formatted(uri, Json.parse(location(line, start, end)).get("range"));
  }

  private void rename(String... edits) {
    capabilities("{'textDocumentSync':1,'renameProvider':true}");
    answer("textDocument/rename", (params, call) -> {
      assertThat(params.get("newName")).isEqualTo(Json.of("size"));
      return "{\"documentChanges\":[" + String.join(",", edits) + "]}";
    });
  }

  private static final String RENAME =
      "{'file':'a.c','line':1,'symbol':'area','newName':'size','apply':true}";

  @Test
  void aRenameIsShownAndNotWritten() throws Exception {
    rename(edit(uri(), 0, 4, 8), edit(uri(), 1, 3, 7));
    start();
    assertThat(listed("rename").get("annotations").get("readOnlyHint")).isEqualTo(Json.TRUE);
    Json result = call("rename", RENAME.replace(",'apply':true", ""));
    assertThat(text(result))
        .isEqualTo("2 changes in 1 file; no file was written:\n"
            + "a.c:1:5: 'area' -> 'size' in: int area;\n"
            + "a.c:2:3: 'area' -> 'size' in: \uD83D\uDE00 area = 2;");
    assertThat(structured(result).get("applied")).isEqualTo(Json.FALSE);
    assertThat(error(call("rename", RENAME))).contains("apply");
    assertThat(Files.readString(file)).isEqualTo(TEXT);
  }

  @Test
  void aRenameIsWrittenIfTheOperatorAndTheModelWantIt() throws Exception {
    Path other = Files.writeString(folder.resolve("b.c"), "\uFEFFx area\r\n");
    Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxr-x---"));
    rename(edit(uri(), 0, 4, 8), edit(uri(), 1, 3, 7), edit(other.toUri().toString(), 0, 2, 6));
    tools = builder().writes(true).start(mcp);
    Json hints = listed("rename").get("annotations");
    assertThat(hints.get("readOnlyHint")).isEqualTo(Json.FALSE);
    assertThat(hints.get("destructiveHint")).isEqualTo(Json.TRUE);

    assertThat(structured(call("rename", RENAME.replace("true", "false"))).get("applied"))
        .isEqualTo(Json.FALSE);
    assertThat(Files.readString(file)).isEqualTo(TEXT);

    Json result = call("rename", RENAME);
    assertThat(text(result)).startsWith("3 changes in 2 files were written:\n");
    assertThat(Files.readString(file)).isEqualTo(TEXT.replace("area", "size"));
    assertThat(Files.readString(other)).isEqualTo("\uFEFFx size\r\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(other)))
        .isEqualTo("rwxr-x---");
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
    awaitSeen("change a.c 2 int size");
    awaitSeen("watched");
  }

  @Test
  void anEditWithAnyPartOutsideOfTheWorkspaceChangesNothing() throws Exception {
    Path outside =
        Files.writeString(folder.resolveSibling(folder.getFileName() + "-outside.c"), "area");
    Files.createSymbolicLink(folder.resolve("link.c"), outside);
    for (String uri : List.of(
        outside.toUri().toString(), folder.resolve("link.c").toUri().toString(), "untitled:x")) {
      rename(edit(uri(), 0, 4, 8), edit(uri, 0, 0, 4));
      if (tools == null) {
        tools = builder().writes(true).start(mcp);
      }
      assertThat(error(call("rename", RENAME)))
          .contains("no file of the workspace")
          .endsWith("Nothing was changed.");
    }
    assertThat(Files.readString(outside)).isEqualTo("area");
    Files.delete(outside);
    assertThat(Files.readString(file)).isEqualTo(TEXT);
  }

  @Test
  void anEditThatDoesMoreThanChangeTextsIsRefused() throws Exception {
    rename(edit(uri(), 0, 4, 8), "{\"kind\":\"delete\",\"uri\":\"" + uri() + "\"}");
    tools = builder().writes(true).start(mcp);
    assertThat(error(call("rename", RENAME))).contains("create, rename or delete");
    rename(edit(uri(), 0, 4, 8), edit(uri(), 0, 5, 6));
    assertThat(error(call("rename", RENAME))).contains("overlap");
    rename(edit(uri(), 77, 4, 8));
    assertThat(error(call("rename", RENAME))).contains("line 78");
    rename(edit(uri(), 0, 4, 8).replace("\"version\":null", "\"version\":99"));
    assertThat(error(call("rename", RENAME))).contains("has changed meanwhile");
    answer("textDocument/rename", (params, call) -> null);
    assertThat(error(call("rename", RENAME))).contains("nothing to rename at a.c:1:5");
    assertThat(Files.readString(file)).isEqualTo(TEXT);
  }

  @Test
  void aFileThatChangedDuringTheRenameIsNotOverwritten() throws Exception {
    rename();
    answer("textDocument/rename", (params, call) -> {
      Files.writeString(file, "int area; // new\n");
      return "{\"documentChanges\":[" + edit(uri(), 0, 4, 8) + "]}";
    });
    tools = builder().writes(true).start(mcp);
    assertThat(error(call("rename", RENAME))).contains("'a.c' has changed meanwhile");
    assertThat(Files.readString(file)).isEqualTo("int area; // new\n");
  }

  @Test
  void anEditWithHalfOfASurrogatePairChangesNothing() throws Exception {
    Path other = Files.writeString(folder.resolve("b.c"), "x area\n");
    rename(
        edit(other.toUri().toString(), 0, 2, 6),
        edit(uri(), 0, 4, 8).replace("\"size\"", "\"\\ud83d\""));
    tools = builder().writes(true).start(mcp);
    assertThat(error(call("rename", RENAME)))
        .isEqualTo("The language server sent an edit of 'a.c' with half of a surrogate pair, which"
            + " no file in UTF-8 can have. Nothing was changed.");
    assertThat(Files.readString(other)).isEqualTo("x area\n");
    assertThat(Files.readString(file)).isEqualTo(TEXT);
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }
}
