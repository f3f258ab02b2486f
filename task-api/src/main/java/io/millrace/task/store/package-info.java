/**
 * The plug point of state backends. A backend outside the heap gives each task an ordered key-value
 * store ({@link io.millrace.task.store.KeyValueStore}); what keys and values mean, timers, windows
 * and snapshots in the format of all backends are the engine's. {@link
 * io.millrace.task.store.StateBackends} finds them.
 *
 * <p>Programs do not use this package directly.
 */
package io.millrace.task.store;
