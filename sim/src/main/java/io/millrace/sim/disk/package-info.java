/**
 * A simulated disk, over which the stores of production run that keep files. {@link
 * io.millrace.sim.disk.SimDisk} holds the files and knows which of them a loss of power would keep;
 * a process uses it through a {@link io.millrace.sim.disk.Mount}, as {@code java.nio.file} paths or
 * as the file system that many machines see.
 */
package io.millrace.sim.disk;
