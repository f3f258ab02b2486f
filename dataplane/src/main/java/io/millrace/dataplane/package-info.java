/**
 * Runs the tasks of a process and moves records between them. {@link
 * io.millrace.dataplane.DataPlane} is the entry and implements {@link io.millrace.task.TaskHost};
 * {@link io.millrace.dataplane.CollectedRecordDecoder} reads the records that a collecting task
 * sends to its client. Other modules use these two, their settings, and the settings of the data
 * port in {@code wire}.
 *
 * <p>The packages below, each of which uses only those after it:
 *
 * <ol>
 *   <li>{@code task}: tasks, their operator chains and deployments
 *   <li>{@code window}: window operators
 *   <li>{@code exchange}: records between tasks, in this process and to other processes
 *   <li>{@code operator}: all other operators, and the task as operators see it
 *   <li>{@code services}: what tasks share
 *   <li>{@code snapshot}: the format and the files of checkpoints
 *   <li>{@code wire}: connections between processes
 *   <li>{@code state}: keyed state on the heap
 *   <li>{@code cores}, {@code metrics}, {@code partition}, {@code records}: parts that know nothing
 *       about tasks
 * </ol>
 */
package io.millrace.dataplane;
