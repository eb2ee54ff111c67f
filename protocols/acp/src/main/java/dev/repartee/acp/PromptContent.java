package dev.repartee.acp;

import dev.repartee.RpcException;
import dev.repartee.acp.types.AudioContent;
import dev.repartee.acp.types.ContentBlock;
import dev.repartee.acp.types.EmbeddedResource;
import dev.repartee.acp.types.ImageContent;
import dev.repartee.acp.types.PromptCapabilities;
import dev.repartee.acp.types.TextContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks and reads the content of prompts. */
final class PromptContent {
  private PromptContent() {}

  /** Returns a capability that the content needs and the agent has not announced, or null. */
  static @Nullable String missing(@Nullable PromptCapabilities able, List<ContentBlock> content) {
    PromptCapabilities known = able == null ? new PromptCapabilities() : able;
    for (ContentBlock each : content) {
      if (each instanceof ImageContent && !Boolean.TRUE.equals(known.image())) {
        return "image";
      } else if (each instanceof AudioContent && !Boolean.TRUE.equals(known.audio())) {
        return "audio";
      } else if (each instanceof EmbeddedResource
          && !Boolean.TRUE.equals(known.embeddedContext())) {
        return "embeddedContext";
      }
    }
    return null;
  }

  /**
   * Requires that the agent has announced the content.
   *
   * @throws RpcException if it has not
   */
  static void require(PromptCapabilities able, List<ContentBlock> content) {
    String missing = missing(able, content);
    if (missing != null) {
      throw AcpErrors.invalid("the agent has not announced 'promptCapabilities." + missing + "'");
    }
  }

  /** Returns the texts of the content, separated by line ends. */
  static String text(List<ContentBlock> content) {
    StringBuilder text = new StringBuilder();
    for (ContentBlock each : content) {
      if (each instanceof TextContent part) {
        text.append(text.isEmpty() ? "" : "\n").append(part.text());
      }
    }
    return text.toString();
  }
}
