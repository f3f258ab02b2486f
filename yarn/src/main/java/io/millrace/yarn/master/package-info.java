/**
 * The JobManager as YARN's ApplicationMaster. {@link io.millrace.yarn.master.YarnSessionProcess},
 * {@link io.millrace.yarn.master.YarnApplicationProcess} and {@link
 * io.millrace.yarn.master.YarnJobProcess} are its main classes; {@link
 * io.millrace.yarn.master.YarnDriverProvider} brings the driver that asks YARN for the containers
 * of TaskManagers. What it decides is in plain objects ({@code ContainerRequests}, {@code
 * ContainerSize}); the two links are a thin shell around YARN's clients.
 */
package io.millrace.yarn.master;
