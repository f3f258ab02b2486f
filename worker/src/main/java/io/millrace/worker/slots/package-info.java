/**
 * The allocation of the slots of a TaskManager: {@link io.millrace.worker.slots.SlotTable}. Pure:
 * it gets the time as a parameter and returns what is due; it sends and schedules nothing.
 */
package io.millrace.worker.slots;
