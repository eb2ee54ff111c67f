/**
 * Binds with Jackson 3 every type that {@code dev.repartee} does not bind itself: enums, dates, beans,
 * sealed and generic types, maps with other keys than strings.
 *
 * <p>There is nothing to call. With this module on the class path or module path, services and proxies
 * may use such types, on their own or inside the lists and records that core binds:
 *
 * <pre>{@code
 * enum Size { SMALL, LARGE }
 *
 * record Order(Size size, LocalDate due) {}
 *
 * class Shop {
 *   public Instant accept(Order order, Duration patience) { ... }
 * }
 * }</pre>
 *
 * <p>Polymorphism is what the types declare, with {@code @JsonTypeInfo} and names; a peer never names
 * a class. What reads and writes is strict, as core is: see {@link dev.repartee.jackson.JacksonBinder},
 * which is also the place for a {@code JsonMapper} of one's own.
 *
 * <p>When not to use it: where {@code dev.repartee.Json}, scalars, lists and plain records do. The
 * first type that needs Jackson costs about a quarter of a second of start-up.
 */
@NullMarked
package dev.repartee.jackson;

import org.jspecify.annotations.NullMarked;
