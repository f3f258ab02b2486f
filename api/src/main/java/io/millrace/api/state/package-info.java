/**
 * Keyed state and operator state. A function gets a state from its {@code RuntimeContext} by a
 * descriptor when it is opened. The handle of a keyed state always accesses the state of the
 * current key. A function must not change a value that is in a state; it puts a new value instead.
 */
package io.millrace.api.state;
