/**
 * What keyed operators keep, on the heap. {@link io.millrace.dataplane.state.KeyTable} holds one
 * value a key, {@link io.millrace.dataplane.state.HeapKeyedStateBackend} the named states and
 * timers of a function. Everything here lives in a task's step, except for reading frozen parts.
 *
 * <p>An index finds the slot of a key: a small number that stays the same for as long as the key
 * has something. Keys that are longs or ints lie in chunks of longs, others as they are; values lie
 * in chunks beside them, by slot. A key's group follows from the key, so nothing is divided by
 * group until it is written.
 *
 * <p>Snapshots are taken by copy on write. All writes to a column go through one method, and chunks
 * are never resized once they are full. {@code freeze} hands the directory of chunks to a {@link
 * io.millrace.dataplane.state.StatePart}, which an I/O thread reads; the first write into a chunk
 * of a snapshot copies that chunk, until {@code release}. An object that a function may change in
 * place is copied before the function gets it while a snapshot has it. Timers are few against
 * records; their table is copied whole. Without a snapshot all this costs one branch per write.
 */
package io.millrace.dataplane.state;
