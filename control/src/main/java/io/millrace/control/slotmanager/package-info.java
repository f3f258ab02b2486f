/**
 * Which slot goes to which job, and how many workers that takes. {@link
 * io.millrace.control.slotmanager.SlotManager} is told what happened and when and returns what to
 * do; it does no I/O, and its only chance is the generator it is given, so that a test or a
 * simulation can put any sequence of events before it. Everything else in here is its state of the
 * cluster, kept in indexes so that an event costs what it changes.
 */
package io.millrace.control.slotmanager;
