package dev.repartee;

/**
 * A view of a call: the {@link Call} itself, or the class of a protocol on top. A method of a typed
 * {@link Service} may have a parameter of such a type, which is not an argument of the method. The
 * protocol {@linkplain Call#set sets} its view as an attribute of the call, under a private key,
 * before it passes the call on.
 */
public interface CallView {}
