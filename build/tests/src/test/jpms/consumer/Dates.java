package consumer;

import dev.repartee.json.Binder;
import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import java.lang.reflect.Type;
import java.time.LocalDate;
import java.util.Arrays;

/** Binds dates, which core does not. */
public final class Dates implements Binder, JsonType<LocalDate> {
  @Override
  public JsonType<?> bind(Type type, JsonTypes types) {
    return type == LocalDate.class ? this : null;
  }

  @Override
  public LocalDate read(byte[] bytes, int from, int to) {
    return LocalDate.parse(Json.parse(Arrays.copyOfRange(bytes, from, to)).as(String.class));
  }

  @Override
  public void write(JsonWriter out, LocalDate value) {
    out.string(value.toString());
  }
}
