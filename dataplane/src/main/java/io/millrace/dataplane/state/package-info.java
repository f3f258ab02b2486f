/**
 * Keyed state on the heap. {@link io.millrace.dataplane.state.KeyTable} holds one value per key,
 * {@link io.millrace.dataplane.state.HeapKeyedStateBackend} the named states and timers of a
 * function. All classes are confined to the step of a task, except for reading frozen parts.
 *
 * <p>An index maps a key to a slot: a small number that stays the same while the key has a state or
 * a timer. Keys that are longs or ints are stored in chunks of longs, others as objects; values are
 * stored in chunks by slot. The key group follows from the key, so state is divided by group only
 * when it is written.
 *
 * <p>Snapshots are taken by copy on write. All writes to a column go through one method, and a full
 * chunk is never resized. {@code freeze} hands the directory of chunks to a {@link
 * io.millrace.dataplane.state.StatePart}, which an I/O thread reads; the first write to a chunk of
 * a snapshot copies that chunk, until {@code release}. An object that a function may change in
 * place is copied before the function gets it while a snapshot has it. Timers are few compared to
 * records; their arrays are copied as a whole. Without a snapshot this costs one branch per write.
 */
package io.millrace.dataplane.state;
