/**
 * What a keyed function remembers. A function asks its {@link
 * io.millrace.api.function.RuntimeContext} for a state by a descriptor, once, when it is opened;
 * the handle then always means the state of the key at work. A value in a state must not be changed
 * from outside: put the new one.
 */
package io.millrace.api.state;
