package dev.repartee.build.snippets;

import dev.repartee.json.Json;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.ToolResult;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The code of protocols/mcp/README.md. */
final class McpTour {
  private static final String YES_OR_NO =
      "{\"type\":\"object\",\"properties\":{\"sure\":{\"type\":\"boolean\"}}}";

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private McpTour() {}

  record Booking(int guests) {}

  record Booked(int number, int guests) {}

  static Tool booking() {
    return Tool.named("book")
        .description("Books a table")
        .destructive(false)
        .handle(Booking.class, (call, booking) -> {
          call.progress(0, 2.0, "looking for a table");
          if (booking.guests() > 8) {
            Elicitation.Answer answer =
                call.elicit("sure", Elicitation.form("So many?", Json.parse(YES_OR_NO)));
            if (!answer.isAccepted()) {
              return ToolResult.error("The guest thought better of it.");
            }
          }
          Json number = call.once("number", () -> NUMBERS.incrementAndGet());
          call.progress(2, 2);
          return new Booked(number.as(int.class), booking.guests());
        });
  }

  record Shelf(List<String> books) {}

  static Tool indexing() {
    return Tool.named("index")
        .description("Indexes a shelf of books")
        .detaching()
        .handle(Shelf.class, (call, shelf) -> {
          int size = shelf.books().size();
          if (size == 0) {
            return "There is nothing on it.";
          }
          call.detach(); // the client has a task from here on, and may leave
          for (int i = 0; i < size; i++) {
            call.cancellation().throwIfCancelled();
            call.progress(i, (double) size, "reading " + shelf.books().get(i));
          }
          return "Indexed " + size + " books.";
        });
  }
}
