package dev.repartee;

/**
 * A protocol's own view of a {@link Call}. A method of a typed {@link Service} may have a parameter
 * of this type instead of the call. The protocol puts the view into {@link Call#attributes}, under
 * the name of its class, before it passes the call on.
 */
public interface CallView {}
