package kotlin.coroutines;

/**
 * Stands for the type of Kotlin's library with this name: the hidden last parameter of a suspend
 * function.
 */
public interface Continuation<T> {}
