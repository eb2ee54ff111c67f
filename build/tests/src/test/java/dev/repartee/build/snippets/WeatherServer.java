package dev.repartee.build.snippets;

import dev.repartee.Param;
import dev.repartee.mcp.*;

public class WeatherServer {
  record Forecast(String city, int degrees) {}

  public static class Weather {
    @McpTool(value = "Tells tomorrow's weather", readOnly = true)
    public Forecast forecast(@Param(description = "Where, in English") String city) {
      return new Forecast(city, 21);
    }
  }

  public static void main(String[] args) throws Exception {
    McpServer.builder("weather", "1.0")
        .tools(new Weather())
        .build()
        .listen(args[0])
        .join();
  }
}
