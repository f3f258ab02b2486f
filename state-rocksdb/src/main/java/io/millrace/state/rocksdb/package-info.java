/**
 * Keeps the keyed state of tasks in RocksDB. {@link io.millrace.state.rocksdb.RocksDbStateBackend}
 * is what the engine finds; each task has a database of its own in a local directory, and the
 * databases of a slot share the slot's managed memory.
 */
package io.millrace.state.rocksdb;
