/**
 * What keyed operators keep, on the heap. {@link io.millrace.dataplane.state.KeyTable} holds one
 * value a key, {@link io.millrace.dataplane.state.HeapKeyedStateBackend} the named states and
 * timers of a function. Everything here lives in a task's step.
 *
 * <p>An index finds the slot of a key: a small number that stays the same for as long as the key
 * has something. Keys that are longs or ints lie in chunks of longs, others as they are; values lie
 * in chunks beside them, by slot. A key's group follows from the key, so nothing is divided by
 * group until it is written.
 *
 * <p>Made for snapshots by copy on write: all writes to a column go through one method, chunks are
 * never resized once they are full, so a snapshot takes the directory of chunks and whoever writes
 * first into a chunk that a snapshot has copies that chunk. Accumulators that a function changes in
 * place have to be copied at that moment, too. Timers are few against records; their arrays are
 * copied whole.
 */
package io.millrace.dataplane.state;
