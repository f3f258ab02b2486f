/**
 * Runs workers as processes of one machine. {@link
 * io.millrace.control.driver.process.ProcessSupervisor} starts, watches and ends them through the
 * interface {@link io.millrace.control.driver.process.ProcessHost}, which has one implementation
 * for the operating system and one for the simulator.
 */
package io.millrace.control.driver.process;
