/**
 * Where workers come from. {@link io.millrace.control.driver.WorkerDriver} is the plug point
 * between the ResourceManager and whatever runs TaskManager processes; {@link
 * io.millrace.control.driver.WorkerEvents} is what it tells back, {@link
 * io.millrace.control.driver.Supply} what it can do, {@link io.millrace.control.driver.WorkerSpec}
 * what it is asked for, {@link io.millrace.control.driver.DriverTermination} why it stops. {@link
 * io.millrace.control.driver.Drivers} finds the one that is configured among those that a {@link
 * io.millrace.control.driver.DriverProvider} brings. {@link
 * io.millrace.control.driver.StandaloneDriver} is the one for clusters whose TaskManagers are
 * started by somebody else and come by themselves.
 */
package io.millrace.control.driver;
