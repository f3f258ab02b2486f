/**
 * Keyed state in a {@link io.millrace.task.store.KeyValueStore}, for state backends outside the
 * heap. {@link io.millrace.dataplane.store.StoredState} has the tables of an operator, {@link
 * io.millrace.dataplane.store.StoredKeyedStateBackend} the states and timers of its function. All
 * classes are confined to the step of a task, except for reading frozen parts.
 *
 * <p>Every key of a table begins with the key group (two bytes), so that the groups of a subtask
 * are contiguous. Then follow, by {@link io.millrace.dataplane.store.Layout}, the encoded key and
 * whatever belongs to it. Times are written such that their order is that of the bytes.
 */
package io.millrace.dataplane.store;
