/**
 * Keyed state on the heap. {@link io.millrace.dataplane.state.KeyTable} holds one value per key,
 * {@link io.millrace.dataplane.state.HeapKeyedStateBackend} the named states and timers of a
 * function. All classes are confined to the step of a task.
 *
 * <p>An index maps a key to a slot: a small number that stays the same while the key has a state or
 * a timer. Keys that are longs or ints are stored in chunks of longs, others as objects; values are
 * stored in chunks by slot. The key group follows from the key, so state is divided by group only
 * when it is written.
 *
 * <p>Prepared for copy-on-write snapshots: all writes to a column go through one method, and a full
 * chunk is never resized, so a snapshot takes the directory of chunks, and the first write to a
 * shared chunk copies it. Accumulators that a function changes in place have to be copied then,
 * too. Timers are few compared to records; their arrays are copied as a whole.
 */
package io.millrace.dataplane.state;
