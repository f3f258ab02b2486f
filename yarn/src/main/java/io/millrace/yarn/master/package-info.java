/**
 * The JobManager as YARN's ApplicationMaster. {@link io.millrace.yarn.master.YarnSessionProcess},
 * {@link io.millrace.yarn.master.YarnApplicationProcess} and {@link
 * io.millrace.yarn.master.YarnJobProcess} are its main classes; {@link
 * io.millrace.yarn.master.YarnDriverProvider} provides the driver that starts TaskManagers in
 * containers. {@code ContainerAllocator} makes its decisions, as a plain object that takes an event
 * and the time and returns actions. {@code ContainerAllocatorRunner} performs them with clocks and
 * threads of {@code Env}. YARN is behind {@code YarnMasterClient}, so that tests run the driver on
 * virtual time over a simulated YARN.
 */
package io.millrace.yarn.master;
