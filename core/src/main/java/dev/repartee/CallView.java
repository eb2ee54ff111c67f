package dev.repartee;

/**
 * What a protocol on top makes of a {@link Call}. A method of a typed {@link Service} may take it in the
 * place of the call: the protocol puts it into {@link Call#attributes}, by the name of its class, before
 * it hands the call on.
 */
public interface CallView {}
