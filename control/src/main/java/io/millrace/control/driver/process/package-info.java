/**
 * Workers as processes that somebody starts, watches and ends on one machine. {@link
 * io.millrace.control.driver.process.ProcessSupervisor} decides; what it decides about is behind
 * {@link io.millrace.control.driver.process.ProcessHost}, so that the same decisions run over a
 * real operating system and over a simulated one.
 */
package io.millrace.control.driver.process;
