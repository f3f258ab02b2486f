/**
 * A simulated disk for the production stores that write files. {@link io.millrace.sim.disk.SimDisk}
 * has the files and tracks which changes would survive a power loss. A process uses it through a
 * {@link io.millrace.sim.disk.Mount}, as {@code java.nio.file} paths or as a shared file system.
 */
package io.millrace.sim.disk;
