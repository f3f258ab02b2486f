/**
<<<<<<< HEAD
 * Keyed state on the heap. {@link io.millrace.dataplane.state.KeyTable} holds one value per key,
 * {@link io.millrace.dataplane.state.HeapKeyedStateBackend} the named states and timers of a
 * function. All classes are confined to the step of a task.
=======
 * What keyed operators keep, on the heap. {@link io.millrace.dataplane.state.KeyTable} holds one
 * value a key, {@link io.millrace.dataplane.state.HeapKeyedStateBackend} the named states and
 * timers of a function. Everything here lives in a task's step, except for reading frozen parts.
>>>>>>> fb6b2387ed810a38964c5ff3fb22c0e09bf44f49
 *
 * <p>An index maps a key to a slot: a small number that stays the same while the key has a state or
 * a timer. Keys that are longs or ints are stored in chunks of longs, others as objects; values are
 * stored in chunks by slot. The key group follows from the key, so state is divided by group only
 * when it is written.
 *
<<<<<<< HEAD
 * <p>Prepared for copy-on-write snapshots: all writes to a column go through one method, and a full
 * chunk is never resized, so a snapshot takes the directory of chunks, and the first write to a
 * shared chunk copies it. Accumulators that a function changes in place have to be copied then,
 * too. Timers are few compared to records; their arrays are copied as a whole.
=======
 * <p>Snapshots are taken by copy on write. All writes to a column go through one method, and chunks
 * are never resized once they are full. {@code freeze} hands the directory of chunks to a {@link
 * io.millrace.dataplane.state.StatePart}, which an I/O thread reads; the first write into a chunk
 * of a snapshot copies that chunk, until {@code release}. An object that a function may change in
 * place is copied before the function gets it while a snapshot has it. Timers are few against
 * records; their table is copied whole. Without a snapshot all this costs one branch per write.
>>>>>>> fb6b2387ed810a38964c5ff3fb22c0e09bf44f49
 */
package io.millrace.dataplane.state;
