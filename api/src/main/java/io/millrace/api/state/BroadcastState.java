package io.millrace.api.state;

/**
 * A map that has the same content in all subtasks, because all of them get the records of the
 * broadcast stream. The function must change it for each such record in the same way.
 */
public interface BroadcastState<K, V> extends ReadOnlyBroadcastState<K, V>, MapState<K, V> {}
