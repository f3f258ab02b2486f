/**
 * Allocates slots to jobs and computes how many workers are needed. {@link
 * io.millrace.control.slotmanager.SlotManager} takes an event and the time and returns actions. It
 * does no I/O, and its only randomness is the generator it is given, so that tests and the
 * simulator can apply any sequence of events. The other classes hold its state in indexes, so that
 * the cost of an event is proportional to what it changes.
 */
package io.millrace.control.slotmanager;
