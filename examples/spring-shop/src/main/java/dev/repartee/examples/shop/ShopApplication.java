package dev.repartee.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the shop. */
@SpringBootApplication
public class ShopApplication {
  /** Starts the shop. */
  public static void main(String[] args) {
    SpringApplication.run(ShopApplication.class, args);
  }
}
