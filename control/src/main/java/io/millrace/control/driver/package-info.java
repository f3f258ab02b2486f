/**
 * The plug point between the ResourceManager and the system that runs TaskManager processes. A
 * {@link io.millrace.control.driver.WorkerDriver} starts and ends workers; it reports {@link
 * io.millrace.control.driver.WorkerEvents}, describes itself with {@link
 * io.millrace.control.driver.DriverCapabilities}, gets a {@link
 * io.millrace.control.driver.WorkerSpec} with each request and a {@link
 * io.millrace.control.driver.DriverTermination} when it stops. {@link
 * io.millrace.control.driver.Drivers} finds the configured driver among the {@link
 * io.millrace.control.driver.DriverProvider} services. {@link
 * io.millrace.control.driver.StandaloneDriver} is for clusters whose TaskManagers are started by
 * other means. {@code docs/drivers.md} describes how to write a driver.
 */
package io.millrace.control.driver;
