/**
 * The slots of one job. {@link io.millrace.control.slotpool.SlotPool} matches the slot requests of
 * the scheduler with the slots that TaskManagers offer and computes the requirements of the job. It
 * is a plain object; the JobMaster sends the messages.
 */
package io.millrace.control.slotpool;
