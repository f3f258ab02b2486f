/**
 * The slots of one job. {@link io.millrace.control.slotpool.SlotPool} brings together what the
 * scheduler asks for and what TaskManagers offer, and knows what is still missing. A plain object:
 * it decides, the JobMaster sends.
 */
package io.millrace.control.slotpool;
