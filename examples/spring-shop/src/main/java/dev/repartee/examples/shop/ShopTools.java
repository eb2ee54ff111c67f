package dev.repartee.examples.shop;

import dev.repartee.Param;
import dev.repartee.mcp.McpTool;
import org.springframework.stereotype.Component;

/** The tools for models, at /mcp. */
@Component
public class ShopTools {
  private final Pricing pricing;

  /** Creates the tools. */
  public ShopTools(Pricing pricing) {
    this.pricing = pricing;
  }

  /** Returns the price of an item in cents. */
  @McpTool(value = "Returns the price of an item in cents", readOnly = true)
  public int price(@Param(description = "The name of the item") String item) {
    return pricing.price(item);
  }
}
