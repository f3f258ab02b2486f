/**
 * Which of a TaskManager's slots belongs to whom: {@link io.millrace.worker.slots.SlotTable}. Pure:
 * it is told the time and says what is due, it sends and schedules nothing.
 */
package io.millrace.worker.slots;
