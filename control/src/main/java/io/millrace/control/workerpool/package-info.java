/**
 * The workers that a driver starts: how many of each spec are asked for, which of them have come,
 * and what is done about those that fail. {@link io.millrace.control.workerpool.WorkerPool}
 * decides, told what happened and when; the ResourceManager does what it says and lives next door.
 */
package io.millrace.control.workerpool;
