package dev.repartee;

/**
 * A protocol's own view of a {@link Call}. A method of a typed {@link Service} may have a parameter
 * of this type instead of the call. The protocol {@linkplain Call#set sets} the view as an attribute
 * of the call, under a key of its own, before it passes the call on.
 */
public interface CallView {}
