package dev.repartee.examples.everything;

import dev.repartee.Rpc;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.types.Annotations;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Icon;
import dev.repartee.mcp.types.ResourceContents;
import dev.repartee.mcp.types.Role;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/** Tools that return pictures, sounds and resources. */
final class Media {
  /** A blue disc of 32 by 32 pixels. */
  static final byte[] PICTURE = load("disc.png");

  /** A tenth of a second of the note A. */
  private static final byte[] SOUND = load("note.wav");

  /** The picture as an icon that does not need a web server. */
  static final Icon ICON = new Icon(
      "data:image/png;base64," + Base64.getEncoder().encodeToString(PICTURE),
      "image/png",
      List.of("32x32"),
      null);

  private static byte[] load(String name) {
    try (InputStream file = Media.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(file, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Rpc("test_image_content")
  @McpTool(value = "Shows a small picture", readOnly = true, openWorld = false)
  public Content picture() {
    return Content.image(PICTURE, "image/png");
  }

  @Rpc("test_audio_content")
  @McpTool(value = "Plays a short note", readOnly = true, openWorld = false)
  public Content sound() {
    return Content.audio(SOUND, "audio/wav");
  }

  @Rpc("test_embedded_resource")
  @McpTool(value = "Returns a resource with its content", readOnly = true, openWorld = false)
  public Content resource() {
    return Content.embedded(ResourceContents.text(
        "test://embedded-resource", "text/plain", "This is an embedded resource content."));
  }

  @Rpc("test_multiple_content_types")
  @McpTool(value = "Returns a text, a picture and a resource", readOnly = true, openWorld = false)
  public List<Content> mixed() {
    return List.of(
        Content.text("Multiple content types test:"),
        Content.image(PICTURE, "image/png"),
        Content.embedded(ResourceContents.text(
            "test://mixed-content-resource",
            "application/json",
            "{\"test\":\"data\",\"value\":123}")));
  }

  @Rpc("show_annotations")
  @McpTool(
      value = "Returns one text for the user and another for the model",
      readOnly = true,
      openWorld = false)
  public List<Content> annotated() {
    return List.of(
        new Content.Text("The disc is blue.", new Annotations(List.of(Role.USER), 1.0, null), null),
        new Content.Text(
            "The colour of the disc is #3366CC.",
            new Annotations(List.of(Role.ASSISTANT), 0.3, "2026-07-28T00:00:00Z"),
            null));
  }
}
